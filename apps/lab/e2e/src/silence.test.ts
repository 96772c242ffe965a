import { afterEach, describe, expect, test } from '@jest/globals';
import { killAll } from './child.fixture.ts';
import { sleep, Scenario } from './scenario.fixture.ts';

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

const EMPTY = new Uint8Array();

describe('silence', () => {
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
    // Proof that the heartbeats have ended: a record in each partition, stamped now.
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
