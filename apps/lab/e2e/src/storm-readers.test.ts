import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { killAll, launch } from './child.fixture.ts';
import { buildExample, exampleLanguages } from './example-programs.fixture.ts';
import { readWithKafkajs } from './kafkajs-reader.fixture.ts';
import { Scenario } from './scenario.fixture.ts';

/** Enough for compressed batches, and for several of them. */
const SESSIONS = 3_000;
const KEYS = Array.from({ length: SESSIONS }, (_, i) => `visitor-${String(i).padStart(4, '0')}`);

let scenario: Scenario;
beforeEach(async () => {
  scenario = await Scenario.create({ timeoutMs: 2_000, partitions: 2 });
  const processor = scenario.start();
  const beats = KEYS.map((key) => ({ key: Buffer.from(key), value: new Uint8Array() }));
  await scenario.producing((producer) => producer.send(beats), processor);
  await scenario.outputs(({ tombstones }) => tombstones.length === SESSIONS);
  expect(await scenario.stop(processor)).toBe(0);
});
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

describe('a storm of closes at default settings is read by a client as it comes', () => {
  test('[O2] kafkajs', async () => {
    const keys = await readWithKafkajs(scenario.kafka.brokers, scenario.output, SESSIONS);
    expect(keys.toSorted()).toEqual(KEYS);
  });

  test.each(exampleLanguages())('[O2] the example in %s', async (name) => {
    const [program, ...first] = buildExample(name).command;
    const { brokers } = scenario.kafka;
    const args = [...first, 'closed', brokers.join(','), scenario.output, String(SESSIONS)];
    const { stdout } = await launch(program!, args).finished;
    expect(stdout.split('\n').toSorted()).toEqual(KEYS.map((key) => `${key} TIMEOUT`));
  });
});
