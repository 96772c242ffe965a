import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { BatchProducer, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { kill, killAll } from './child.fixture.ts';
import { flatline, succeed } from './flatline.fixture.ts';
import { readLedger } from './ledger.fixture.ts';
import { sleep, Scenario } from './scenario.fixture.ts';
import { expectVerified, verify } from './verify.fixture.ts';

const SEED = Number(process.env['SEED'] ?? 23);
const KILLS = 3;
const SESSIONS = 2_000;
const TIMEOUT_MS = 4_000;
const KEYS = Array.from({ length: 40 }, (_, i) => `device-${i}`);

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

/** A fleet with disorder, processors that die under it, and everyone silent at the end. Returns the ledger's path. */
async function fleetUnderKills(): Promise<string> {
  const random = seededRandom(SEED);
  const ledger = join(scenario.folder, 'ledger.jsonl');
  const load = ['--sessions', String(SESSIONS), '--rate', '1000', '--heartbeat-ms', '300', '--beats', '8'];
  const disorder = ['--format', 'json', '--duplicates', '0.02', '--lose', '0.02', '--reorder', '0.02'];
  const where = ['--topic', scenario.input, '--brokers', scenario.kafka.brokers.join(',')];
  let processor = scenario.start();
  const fleet = succeed(['simulate', ...where, ...load, ...disorder, '--seed', String(SEED), '--ledger', ledger]);
  for (let kills = 0; kills < KILLS; kills += 1) {
    await processor.line(/task runs/);
    await sleep(random.below(1_500));
    await kill(processor.child);
    processor = scenario.start();
  }
  await fleet;
  const sessions = readLedger(ledger).length;
  await scenario.outputs(({ tombstones }) => tombstones.length >= sessions);
  expect(await scenario.stop(processor)).toBe(0);
  return ledger;
}

/** Writes a summary again by hand, like a client that is no task. */
async function repeatFirstSummary(): Promise<{ readonly key: string; readonly partition: number }> {
  const { summaries } = await scenario.outputsNow();
  // Wherever it lies: a kill may have left an aborted transaction before it.
  const first = summaries.filter(({ partition }) => partition === 2).sort((a, b) => a.offset - b.offset)[0]!;
  const { key, ...fields } = first.summary;
  const sessionId = Buffer.from(key).toString('utf8');
  const countsByType = Object.fromEntries<number>(fields.countsByType);
  const attributes = Object.fromEntries<string>(fields.attributes);
  const connection = openCluster(scenario.kafka);
  const producer = await BatchProducer.open({ clock: systemClock, connection, topic: scenario.output });
  const value = Buffer.from(JSON.stringify({ ...fields, sessionId, countsByType, attributes }));
  await producer.send([{ key, value }]);
  await producer.close();
  connection.close();
  return { key: sessionId, partition: first.partition };
}

describe(`what a killed processor wrote, judged by flatline verify (rerun: SEED=${SEED} npm test -- e2e)`, () => {
  test('[F1][V1][V4][V12][X3] no violation; then one summary too many, and it is named with its place', async () => {
    scenario = await Scenario.create({ timeoutMs: TIMEOUT_MS });
    const ledger = await fleetUnderKills();
    const flags = ['--ledger', ledger, '--reach', `claims=${KILLS + 1}`, '--state-dir', scenario.stateDir('a')];
    const verified = await expectVerified(scenario, ...flags);
    expect(verified.closed).toBe(SESSIONS);
    expect(verified.open).toBe(0);
    expect(verified.delaysMs.min).toBeGreaterThanOrEqual(0);

    const { key, partition } = await repeatFirstSummary();
    const { code, violations } = await verify(scenario);
    expect(code).toBe(1);
    const topic = scenario.output;
    const { offset } = violations.find(({ rule }) => rule === 'V1')!;
    expect(violations).toContainEqual({
      rule: 'V1',
      topic,
      partition,
      offset,
      key,
      what: expect.stringContaining('is said a second time'),
    });
    expect(violations.map(({ rule }) => rule).sort()).toEqual(['O2', 'V1', 'V7']);
    const text = await flatline(['verify', '--config', scenario.config]).finished;
    expect(text.code).toBe(1);
    expect(text.stdout).toContain(`${topic}-${partition} offset ${offset} key ${key}: `);

    expect((await verify(scenario, '--reach', 'truncations=1')).violations).toContainEqual(
      expect.objectContaining({ rule: 'V12' }),
    );
  });
});

describe('a processor that is not there', () => {
  const text = async (...flags: readonly string[]) => {
    const { code, stdout } = await flatline(['verify', '--config', scenario.config, ...flags]).finished;
    return { code, lines: stdout.trimEnd().split('\n') };
  };
  const beat = (sessions: number): Promise<unknown> =>
    scenario.producing((producer) =>
      producer.send(
        Array.from({ length: sessions }, (_, i) => ({ key: Buffer.from(`device-${i}`), value: new Uint8Array() })),
      ),
    );
  /** Both ways of asking: unprocessed input never passes for sound. */
  const expectBehind = async (how: RegExp): Promise<void> => {
    const complete = await verify(scenario);
    expect(complete).toMatchObject({ code: 1, ok: false });
    expect(new Set(complete.violations.map(({ rule }) => rule))).toEqual(new Set(['V2']));
    for (const { what } of complete.violations) expect(what).toMatch(how);
    const open = await text();
    expect(open).toMatchObject({ code: 0 });
    expect(open.lines[0]).toMatch(/no violation, \d+ undecided$/);
    expect(open.lines.at(-1)).toMatch(/^ {2}undecided {2}.*no commit covers \d+ records/);
  };

  test('[V2] that never ran, or was stopped, is said to be behind, and how far', async () => {
    const timeoutMs = 1_000;
    // Held time would leave nothing due behind a gap in which no processor listened.
    scenario = await Scenario.create({ timeoutMs, pipeline: { unheardMs: 0 } });
    const behind = String.raw`the processor is \d+ offsets and \d+ ms of the log behind, with`;
    await beat(100);
    await sleep(timeoutMs + 100);
    await beat(50);
    await expectBehind(
      new RegExp(String.raw`no commit covers \d+ records .*there is none.*${behind} [1-9]\d* closes due`),
    );

    const processor = scenario.start();
    await scenario.outputs((outputs) => outputs.tombstones.length >= 150);
    expect(await scenario.stop(processor)).toBe(0);
    await expectVerified(scenario);

    await beat(70);
    await expectBehind(new RegExp(String.raw`the last one ends at offset \d+.*${behind} \d+ closes due`));
  });
});

describe('settings that change', () => {
  test('[K1][V4] what closed under a former timeout is judged by it, and what closes now by the present one', async () => {
    scenario = await Scenario.create({ timeoutMs: 1_000 });
    const beatAndClose = async (keys: readonly string[], closed: number): Promise<void> => {
      const processor = scenario.start();
      await scenario.producing((producer) =>
        producer.send(keys.map((key) => ({ key: Buffer.from(key), value: new Uint8Array() }))),
      );
      await scenario.outputs((outputs) => outputs.tombstones.length >= closed);
      expect(await scenario.stop(processor)).toBe(0);
    };
    await beatAndClose(KEYS, KEYS.length);
    scenario.configure({ timeoutMs: 2_500 });
    await beatAndClose(KEYS, 2 * KEYS.length);
    const { closed } = await expectVerified(scenario);
    expect(closed).toBe(2 * KEYS.length);
    // The configuration is a third by now, under which no processor has run.
    scenario.configure({ timeoutMs: 600_000 });
    await expectVerified(scenario);
  });
});
