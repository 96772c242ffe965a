import { afterEach, describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { killAll } from './child.fixture.ts';
import { readRaw } from './raw-topic.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { expectVerified } from './verify.fixture.ts';

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

const EMPTY = new Uint8Array();
const SESSIONS = 100;
const BEATS = 40;
const SEED = Number(process.env['SEED'] ?? 14);

interface Poison {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array;
  readonly headers?: readonly { readonly name: string; readonly value: Uint8Array | null }[];
}

const random = seededRandom(SEED);
const key = Buffer.from('device-1');
/** Each is refused for another reason; keys, where there are any, are those of live sessions. */
const POISONS: readonly (() => Poison)[] = [
  () => ({ key, value: Uint8Array.from({ length: 50 }, () => 1 + random.below(0x7a)) }),
  () => ({ key: null, value: EMPTY }),
  () => ({ key: null, value: EMPTY, headers: Array.from({ length: 20_000 }, () => ({ name: 'h', value: null })) }),
  () => ({ key, value: Buffer.concat([Buffer.from('{"type":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]) }),
  () => ({ key, value: Buffer.from(`{"deep":${'['.repeat(100_000)}`) }),
  () => ({ key, value: Buffer.from('{"__proto__":{"type":1},"attributes":{"__proto__":7}}') }),
  () => ({ key, value: Uint8Array.of(0, 0x7f, 0xff, 0xff, 0xff, 1, 2) }),
  () => ({ key, value: Buffer.alloc(900_000, '{') }),
  () => ({ key: Buffer.alloc(600, 'k'), value: EMPTY }),
];

describe('poison', () => {
  test('[F14][I1] at one record in a hundred: each becomes a dead letter once, and no other session is harmed', async () => {
    scenario = await Scenario.create({ timeoutMs: 5_000, partitions: 1 });
    const processor = scenario.start();
    await processor.line(/task runs/);
    const poisons: Poison[] = [];
    await scenario.producing(async (producer) => {
      for (let beat = 0; beat < BEATS; beat += 1) {
        for (let session = 0; session < SESSIONS; session += 1)
          await producer.send([{ key: Buffer.from(`device-${session}`), value: EMPTY }]);
        const poison = POISONS[beat % POISONS.length]!();
        poisons.push(poison);
        await producer.send([{ ...poison, partition: 0 }]);
      }
      await producer.flush();
    });
    const { summaries } = await scenario.outputs(({ tombstones }) => tombstones.length === SESSIONS);
    expect(new Set(summaries.map(({ summary }) => summary.eventCount))).toEqual(new Set([BEATS]));
    expect(await scenario.stop(processor)).toBe(0);
    const letters = await readRaw(scenario.kafka, { topic: scenario.topics[3]!, partitions: 1, count: BEATS });
    expect(letters.map(({ value }) => value?.length)).toEqual(poisons.map(({ value }) => value.length));
    expect(letters.map((letter) => letter.value)).toEqual(
      poisons.map(({ value }) => Buffer.from(value).toString('latin1')),
    );
    // Each kind for a reason of its own, the same each time.
    const reasons = letters.map(({ headers }) => headers['flatline-reason']);
    expect(reasons.slice(POISONS.length, 2 * POISONS.length)).toEqual(reasons.slice(0, POISONS.length));
    const { reach } = await expectVerified(scenario);
    expect(reach['badRecords']).toBe(BEATS);
  });
});
