// Statistics of sessions, through kills and a replay, on a real broker (S12).
import { afterEach, describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { kill, killAll } from './child.fixture.ts';
import { flatline, succeed } from './flatline.fixture.ts';
import { Scenario, sleep } from './scenario.fixture.ts';
import { expectVerified } from './verify.fixture.ts';
import { readWhole } from './whole-topic.fixture.ts';

const PARTITIONS = 2;
const SESSIONS = 600;
const KILLS = 3;
const LIFE_MS = 2_500;
const TIMEOUT_MS = 2_000;
const SEED = Number(process.env['SEED'] ?? 12);
const STATS: { windows: ('10s' | '1m')[]; dimensions: { name: string; attribute: string; max: number }[] } = {
  windows: ['10s', '1m'],
  dimensions: [{ name: 'plan', attribute: 'plan', max: 2 }],
};

let scenario: Scenario;

afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

interface Said {
  readonly windowStart: number;
  readonly windowEnd: number;
  readonly dimensions: { readonly plan: string };
  readonly opened: number;
  readonly closed: number;
  readonly duration: { readonly count: number };
}

/** Each partition's records so far of the windows of ten seconds, as they lie on the topic. */
async function said(topic: string): Promise<string[][]> {
  const all = await readWhole(scenario.kafka, { topic, partitions: PARTITIONS });
  const isShort = (value: string): boolean => {
    const { windowStart, windowEnd } = JSON.parse(value) as Said;
    return windowEnd - windowStart === 10_000;
  };
  return all.map((records) => records.map(({ value }) => Buffer.from(value!).toString()).filter(isShort));
}

/** The same, once all sessions have closed in windows that are over. */
async function saidAll(topic: string): Promise<string[][]> {
  for (;;) {
    const found = await said(topic);
    const closed = found.flat().map((value) => (JSON.parse(value) as Said).closed);
    if (closed.reduce((sum, each) => sum + each, 0) >= SESSIONS) return found;
    await sleep(500);
  }
}

const valueOf = (i: number): string =>
  i % 5 === 0 ? '' : JSON.stringify({ attributes: { plan: ['free', 'pro', 'gold'][i % 3]! } });

describe('statistics', () => {
  test('[S12][F1][C5][O1] are exact whatever is killed, judged by verify, and the same bytes when the log is read again', async () => {
    scenario = Scenario.unprovisioned({ timeoutMs: TIMEOUT_MS, partitions: PARTITIONS, pipeline: { stats: STATS } });
    const { config } = scenario;
    const create = ['topics', 'create', '--config', config, '--partitions', String(PARTITIONS), '--replication', '1'];
    await succeed(create);
    const random = seededRandom(SEED);
    for (let part = 0; part < KILLS; part += 1) {
      const { child } = scenario.start();
      await Promise.all([
        scenario.producing((producer) =>
          producer.send(
            Array.from({ length: SESSIONS / KILLS }, (_, i) => ({
              key: Buffer.from(`visitor-${part}-${i}`),
              value: Buffer.from(valueOf(i)),
            })),
          ),
        ),
        sleep(random.below(LIFE_MS)),
      ]);
      await kill(child);
    }
    const survivor = scenario.start();
    const found = await saidAll(`${scenario.output}.stats`);
    expect(await scenario.stop(survivor)).toBe(0);
    const cells = found.flat().map((value) => JSON.parse(value) as Said);
    const sum = (of: (cell: Said) => number): number => cells.reduce((total, cell) => total + of(cell), 0);
    expect(sum(({ opened }) => opened)).toBe(SESSIONS);
    expect(sum(({ duration }) => duration.count)).toBe(SESSIONS);
    expect([...new Set(cells.map(({ dimensions }) => dimensions.plan))].sort()).toContain('other');
    await expectVerified(scenario);
    const shown = await flatline(['stats', '--config', config, '--window', '10s', '--json']).finished;
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain('"windowStart"');

    scenario.rename();
    scenario.configure({ output: { topic: `${scenario.output}-again` }, stats: STATS });
    await succeed(create);
    const again = scenario.start('again');
    expect(await saidAll(`${scenario.output}-again.stats`)).toEqual(found);
    expect(await scenario.stop(again)).toBe(0);
  });
});
