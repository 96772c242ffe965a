import { partitionOf } from '@flatline/base';
import { afterEach, describe, expect, test } from '@jest/globals';
import { killAll, launch } from './child.fixture.ts';
import { buildExample, exampleLanguages } from './example-programs.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { verify } from './verify.fixture.ts';

const registry = process.env['SCHEMA_REGISTRY_URL'] ?? '';
const PARTITIONS = 6;
const KEYS = ['anna', 'bert', 'gerät-7', 'x'.repeat(100), ...Array.from({ length: 8 }, (_, i) => `key-${i}`)];

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

describe.each(exampleLanguages())('the example in %s', (name) => {
  const example = buildExample(name);

  async function lines(...args: readonly string[]): Promise<string[]> {
    const [program, ...first] = example.command;
    const { code, stdout, stderr } = await launch(program!, [...first, ...args]).finished;
    if (code !== 0) throw new Error(`${name} ${args.join(' ')} ended with ${code}\n${stderr}`);
    return stdout.split('\n').filter((line) => line !== '');
  }

  test.each(example.speaksAvro ? ['json', 'avro'] : ['json'])(
    'sends heartbeats in %s to the partitions of the SDK, and reads their summaries',
    async (format) => {
      scenario = await Scenario.create({ timeoutMs: 1_000, partitions: PARTITIONS });
      const isAvro = format === 'avro';
      scenario.configure({ output: { topic: scenario.output, format: isAvro ? 'avro' : 'json' } });
      const processor = scenario.start('a', isAvro ? { SCHEMA_REGISTRY_URL: registry } : {});
      const brokers = scenario.kafka.brokers.join(',');
      const avro = isAvro ? ['--avro', registry] : [];

      const sent = await lines(...avro, 'beat', brokers, scenario.input, ...KEYS);
      expect(sent.toSorted()).toEqual(
        KEYS.map((key) => `${key} ${partitionOf(Buffer.from(key), PARTITIONS)}`).toSorted(),
      );
      const closed = await lines(...avro, 'closed', brokers, scenario.output, String(KEYS.length));
      expect(closed.toSorted()).toEqual(KEYS.map((key) => `${key} TIMEOUT`).toSorted());
      expect(await scenario.stop(processor)).toBe(0);
      expect((await verify(scenario)).violations).toEqual([]);
    },
  );
});
