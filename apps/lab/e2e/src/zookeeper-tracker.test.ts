// ZooKeeper's own session tracker compared with the processor, on the same history of sessions created, touched and closed.
import { execFile } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import { type Random, seededRandom } from '@flatline/base';
import { findJava, resolveArtifacts, workspaceOf } from '@flatline/dev-broker';
import { killAll } from './child.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';
import { readWhole } from './whole-topic.fixture.ts';

const BUCKET_MS = 2_000;
const STEPS = 600;
const SESSIONS = 60;
const LOOK_MS = 50;
const DAY_MS = 86_400_000;
const SEED = Number(process.env['SEED'] ?? 1);

interface Step {
  readonly at: number;
  readonly does: 'create' | 'touch' | 'close' | 'time';
  readonly id: number;
  readonly timeoutMs: number;
}

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

/** Silences from far below a timeout to far beyond; at the end all are over. */
function history(random: Random, from: number): Step[] {
  const steps: Step[] = [];
  const timeouts: number[] = [];
  let at = from;
  for (let left = STEPS; left > 0; left -= 1) {
    at += random.below(random.chance(0.03) ? 8_000 : 120);
    if (timeouts.length === 0 || (timeouts.length < SESSIONS && random.chance(0.12))) {
      timeouts.push(2_000 + random.below(9_000));
      steps.push({ at, does: 'create', id: timeouts.length - 1, timeoutMs: timeouts.at(-1)! });
    } else {
      const id = random.below(timeouts.length);
      steps.push({ at, does: random.chance(0.97) ? 'touch' : 'close', id, timeoutMs: timeouts[id]! });
    }
  }
  return [...steps, { at: at + 60_000, does: 'time', id: 0, timeoutMs: 0 }];
}

/** Id → instant at which it has expired. */
async function byZooKeeper(steps: readonly Step[]): Promise<Readonly<Record<string, number>>> {
  const folder = await resolveArtifacts(
    {
      name: 'zookeeper-tracker',
      folder: fileURLToPath(new URL('../trackers/zookeeper', import.meta.url)),
      goals: ['compile', 'dependency:copy-dependencies'],
    },
    { workspace: workspaceOf(import.meta.url), environment: process.env, log: () => undefined },
  );
  const java = await findJava(process.env);
  if (java === undefined) throw new Error('the broker runs on Java: it is there');
  const file = join(scenario.folder, 'history');
  writeFileSync(file, steps.map(({ at, does, id, timeoutMs }) => `${at} ${does} ${id} ${timeoutMs}\n`).join(''));
  const jars = readdirSync(folder).filter((name) => name.endsWith('.jar'));
  const classPath = ['classes', ...jars].map((name) => join(folder, name)).join(delimiter);
  const args = ['-cp', classPath, 'dev.flatline.e2e.TrackerHistory', String(BUCKET_MS), file];
  const { stdout } = await promisify(execFile)(java.command, args);
  return Object.fromEntries(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ').map(Number) as [number, number]),
  );
}

/** A token is the offset of its start, plus one: the input has one partition, and a record for each step. */
async function byLeases(steps: readonly Step[]): Promise<Readonly<Record<string, number>>> {
  const tokens = new Map<number, number>();
  const records = steps.map(({ at, does, id, timeoutMs }, offset) => {
    if (does === 'create') tokens.set(id, offset + 1);
    const value = does === 'create' ? JSON.stringify({ type: 'STARTED', timeoutMs }) : does === 'close' ? null : '';
    const headers =
      does === 'time'
        ? [{ name: 'flatline-clock', value: null }]
        : [{ name: 'flatline-token', value: Buffer.from(String(tokens.get(id))) }];
    const key = does === 'time' ? null : Buffer.from(`s${id}`);
    return {
      key,
      value: value === null ? null : Buffer.from(value),
      headers: does === 'create' ? [] : headers,
      timestamp: at,
    };
  });
  await scenario.producing((producer) => producer.send(records));
  const running = scenario.start();
  for (;;) {
    const [output = []] = await readWhole(scenario.kafka, { topic: scenario.output, partitions: 1 });
    const ends = output.filter(({ value }) => value === null).length;
    if (ends === tokens.size) {
      await scenario.stop(running);
      return Object.fromEntries(
        output.flatMap(({ key, value }) => {
          const said =
            value === null ? {} : (JSON.parse(Buffer.from(value).toString()) as { type?: string; at?: number });
          return said.type === 'EXPIRED' ? [[Number(Buffer.from(key!).toString().slice(1)), said.at!]] : [];
        }),
      );
    }
    await sleep(LOOK_MS);
  }
}

test(`[L1][L2] seed ${SEED}: what ZooKeeper's tracker expires, leases expire, with the same buckets (rerun: SEED)`, async () => {
  scenario = await Scenario.create({
    partitions: 1,
    timestampType: 'CreateTime',
    pipeline: { kind: 'lease', bucketMs: BUCKET_MS, minTimeoutMs: 1_000, maxTimeoutMs: 60_000, timeoutMs: 10_000 },
  });
  // In the past, within the topic's retention, and constant for a day: expiries are multiples of a bucket since 1970.
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const steps = history(seededRandom(SEED), today - DAY_MS);
  const expired = await byZooKeeper(steps);
  expect(Object.keys(expired).length).toBeGreaterThan(SESSIONS / 2);
  expect(await byLeases(steps)).toEqual(expired);
});
