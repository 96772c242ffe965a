import { afterEach, describe, expect, test } from '@jest/globals';
import { killAll } from './child.fixture.ts';
import { residentBytesMax } from './metrics.fixture.ts';
import { readRaw } from './raw-topic.fixture.ts';
import { sleep, Scenario } from './scenario.fixture.ts';

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

const EMPTY = new Uint8Array();
const MIB = 1024 * 1024;
/** F18 asks for a million: F18_SESSIONS=1000000. */
const DYING = Number(process.env['F18_SESSIONS'] ?? 50_000);
const TIMEOUT_MS = 8_000;
const STEADY = 20;

/** Keys of tombstones on the output, counted as they come until there are `count`. */
async function closes(count: number): Promise<ReadonlyMap<string, number>> {
  const seen = new Map<string, number>();
  let total = 0;
  await scenario.following((record) => {
    if (record.kind !== 'tombstone') return false;
    const key = Buffer.from(record.key).toString();
    seen.set(key, (seen.get(key) ?? 0) + 1);
    total += 1;
    return total === count;
  });
  return seen;
}

describe('more at once than can be done at once', () => {
  test(`[F18] ${DYING} sessions that die together close once each, and those that beat meanwhile live on`, async () => {
    scenario = await Scenario.create({ timeoutMs: TIMEOUT_MS, partitions: 4 });
    const processor = scenario.start();
    const closing = closes(DYING);
    await processor.line(/task runs/);
    const seen = await scenario.producing(async (producer) => {
      await producer.send(
        (function* dying() {
          for (let i = 0; i < DYING; i += 1) yield { key: Buffer.from(`dying-${i}`), value: EMPTY };
        })(),
      );
      await producer.flush();
      const ended = new AbortController();
      void closing.finally(() => {
        ended.abort();
      });
      while (!ended.signal.aborted) {
        await producer.send(
          Array.from({ length: STEADY }, (_, i) => ({ key: Buffer.from(`steady-${i}`), value: EMPTY })),
        );
        await Promise.race([sleep(500), closing]);
      }
      return closing;
    }, processor);
    expect(await scenario.stop(processor)).toBe(0);
    expect(seen.size).toBe(DYING);
    expect([...seen.keys()].filter((key) => key.startsWith('steady'))).toEqual([]);
  });

  test('[X6] a backlog of large records that are all refused is worked off within a bound of memory', async () => {
    const [records, bytes] = [2_000, 200_000];
    scenario = await Scenario.create({ timeoutMs: 600_000, partitions: 1 });
    await scenario.producing((producer) =>
      producer.send(
        (function* poison() {
          for (let i = 0; i < records; i += 1) yield { key: null, value: Buffer.alloc(bytes, i) };
        })(),
      ),
    );
    const processor = scenario.start();
    const worked = readRaw(scenario.kafka, { topic: scenario.topics[3]!, partitions: 1, count: records });
    const residentBytes = await residentBytesMax(processor, worked);
    expect((await worked).length).toBe(records);
    expect(await scenario.stop(processor)).toBe(0);
    // The backlog alone has 400 MB, and each record is copied for its dead letter.
    expect(residentBytes).toBeLessThan(350 * MIB);
  });
});
