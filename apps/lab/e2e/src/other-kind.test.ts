// A pipeline whose kind is changed while it has state of the former kind.
import { afterEach, expect, test } from '@jest/globals';
import { killAll } from './child.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { createTopic } from './topics.fixture.ts';

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

async function closes(key: string, count: number): Promise<void> {
  await scenario.producing((producer) => producer.send([{ key: Buffer.from(key), value: new Uint8Array() }]));
  const { summaries } = await scenario.outputs(({ tombstones }) => tombstones.length === count);
  expect(Buffer.from(summaries.at(-1)!.summary.key).toString()).toBe(key);
}

test('[I4] is refused before it reads anything, and goes on where it was as what it was', async () => {
  scenario = await Scenario.create({ timeoutMs: 1_000, partitions: 1 });
  const first = scenario.start();
  await closes('a', 1);
  expect(await scenario.stop(first)).toBe(0);
  // A separate input does not make its state another pipeline's.
  const other = `${scenario.input}-2`;
  await createTopic(scenario.kafka, other, {
    partitions: 1,
    settings: { 'message.timestamp.type': 'LogAppendTime' },
  });
  for (const topic of [scenario.input, other]) {
    scenario.configure({ kind: 'lease', timeoutMs: 2_000, input: { topic } });
    const refused = await scenario.start().finished;
    expect({ code: refused.code, said: refused.stdout + refused.stderr }).toEqual({
      code: 2,
      said: expect.stringContaining('pipeline visits: kind is \\"lease\\"'),
    });
  }
  scenario.configure({});
  const again = scenario.start();
  await closes('b', 2);
  expect(await scenario.stop(again)).toBe(0);
});
