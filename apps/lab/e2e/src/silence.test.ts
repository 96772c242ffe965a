import { afterEach, describe, expect, test } from '@jest/globals';
import { killAll } from './child.fixture.ts';
import { addressOf } from './metrics.fixture.ts';
import { sleep, Scenario } from './scenario.fixture.ts';
import { offsetsUsed } from './topics.fixture.ts';
import { verify } from './verify.fixture.ts';

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

const EMPTY = new Uint8Array();
/** Default of `clockSkewMs`. */
const CLOCK_SKEW_MS = 500;

describe('silence', () => {
  test('[C2][C4][X1] on a quiet broker 1 000 sessions close within timeout + 1 s, none before its timeout by append times', async () => {
    const timeoutMs = 4_000;
    scenario = await Scenario.create({ timeoutMs });
    const processor = scenario.start();
    await processor.line(/task runs/);
    await scenario.producing((producer) =>
      producer.send(Array.from({ length: 1_000 }, (_, i) => ({ key: Buffer.from(`device-${i}`), value: EMPTY }))),
    );
    const { summaries } = await scenario.outputs((outputs) => outputs.tombstones.length >= 1_000);
    expect(await scenario.stop(processor)).toBe(0);
    // The output's append time against the input's: both are the broker's clock.
    const delays = summaries.map(({ timestamp, summary }) => timestamp - (summary.lastSeenAt + timeoutMs));
    expect(summaries).toHaveLength(1_000);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThanOrEqual(1_000);
  });

  test('[C3][C4][X1] with proof "fetch" sessions close on time too, and nothing is written to the input', async () => {
    const timeoutMs = 4_000;
    scenario = await Scenario.create({ timeoutMs, pipeline: { proof: 'fetch' } });
    const processor = scenario.start();
    await processor.line(/task runs/);
    const sessions = 1_000;
    await scenario.producing((producer) =>
      producer.send(Array.from({ length: sessions }, (_, i) => ({ key: Buffer.from(`device-${i}`), value: EMPTY }))),
    );
    const { summaries } = await scenario.outputs((outputs) => outputs.tombstones.length >= sessions);
    const metrics = await (await fetch(`${await addressOf(processor)}/metrics`)).text();
    expect(await scenario.stop(processor)).toBe(0);
    const delays = summaries.map(({ timestamp, summary }) => timestamp - (summary.lastSeenAt + timeoutMs));
    expect(summaries).toHaveLength(sessions);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThanOrEqual(CLOCK_SKEW_MS + 1_000);
    expect(await offsetsUsed(scenario.kafka, scenario.input, scenario.partitions)).toBe(sessions);
    const overtaken = [...metrics.matchAll(/^flatline_clock_overtaken_total\{.*\} (\d+)$/gm)].map(([, count]) => count);
    expect(overtaken).toEqual(Array.from({ length: scenario.partitions }, () => '0'));
    const { violations, undecided, closed } = await verify(scenario);
    expect({ violations, closed }).toEqual({ violations: [], closed: sessions });
    for (const what of undecided) expect(what).toMatch(/\(V3\): by proof "fetch"/);
  });

  test('[C4][F4][X2] a backlog of sessions that never were silent, read late, cuts none in two', async () => {
    const timeoutMs = 3_000;
    scenario = await Scenario.create({ timeoutMs });
    const sessions = 2_000;
    const rounds = 50;
    // 100 000 heartbeats over ten seconds: every session beats five times per timeout, with no reader meanwhile.
    await scenario.producing(async (producer) => {
      for (let round = 0; round < rounds; round += 1) {
        const paced = sleep(200);
        await producer.send(Array.from({ length: sessions }, (_, i) => ({ key: Buffer.from(`s-${i}`), value: EMPTY })));
        await paced;
      }
    });
    // By now the first heartbeats are several timeouts old.
    const processor = scenario.start();
    await scenario.outputs(({ tombstones }) => tombstones.length >= sessions);
    expect(await scenario.stop(processor)).toBe(0);
    const { summaries } = await scenario.outputsNow();
    expect(summaries).toHaveLength(sessions);
    expect(new Set(summaries.map(({ summary }) => summary.eventCount))).toEqual(new Set([rounds]));
  });

  test('[C4][C5][F4] 100 000 heartbeats read hours late, as their producers stamped them, cut no session in two', async () => {
    const minuteMs = 60_000;
    scenario = await Scenario.create({ timeoutMs: 2 * minuteMs, timestampType: 'CreateTime' });
    const sessions = 500;
    const rounds = 200;
    // Each beats once a minute, at its own second, from six hours ago until under three hours ago.
    const start = Date.now() - 6 * 60 * minuteMs;
    await scenario.producing(async (producer) => {
      for (let round = 0; round < rounds; round += 1)
        await producer.send(
          Array.from({ length: sessions }, (_, i) => ({
            key: Buffer.from(`s-${i}`),
            value: EMPTY,
            timestamp: start + round * minuteMs + Math.floor((i * minuteMs) / sessions),
          })),
        );
    });
    const processor = scenario.start();
    await processor.line(/task runs/);
    // What shows that the heartbeats have ended: a record of each partition, stamped now.
    await scenario.producing((producer) =>
      producer.send(Array.from({ length: 64 }, (_, i) => ({ key: Buffer.from(`now-${i}`), value: EMPTY }))),
    );
    await scenario.outputs(({ tombstones }) => tombstones.length >= sessions);
    expect(await scenario.stop(processor)).toBe(0);
    const { summaries } = await scenario.outputsNow();
    expect(summaries.map(({ summary }) => Buffer.from(summary.key).toString()).sort()).toEqual(
      Array.from({ length: sessions }, (_, i) => `s-${i}`).sort(),
    );
    expect(new Set(summaries.map(({ summary }) => summary.eventCount))).toEqual(new Set([rounds]));
  });
});
