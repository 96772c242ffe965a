// The fixture itself: a failing test must end, and show its processor's output.
import { afterEach, expect, test } from '@jest/globals';
import { killAll } from './child.fixture.ts';
import { sleep, Scenario } from './scenario.fixture.ts';

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

test('producing ends where the processor that it needs has ended, and says what that printed', async () => {
  scenario = await Scenario.create({ timeoutMs: 1_000, partitions: 1 });
  const nowhere = '127.0.0.1:1';
  const processor = scenario.start('a', { KAFKA_BROKERS: nowhere });
  const producing = scenario.producing(async (producer) => {
    for (;;) {
      await producer.send([{ key: Buffer.from('a'), value: new Uint8Array() }]);
      await sleep(50);
    }
  }, processor);
  await expect(producing).rejects.toThrow(new RegExp(`ended with \\d+ [^]*${nowhere}`));
});

test('what a failed test has left under way ends with its scenario', async () => {
  scenario = await Scenario.create({ timeoutMs: 1_000, partitions: 1 });
  const producing = scenario.producing(() => new Promise(() => undefined));
  const following = scenario.outputs(() => false);
  await scenario.dispose();
  await expect(producing).rejects.toThrow('disposed of');
  await expect(following).resolves.toEqual({ summaries: [], tombstones: [] });
});
