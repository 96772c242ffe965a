// Common to the tests of leases, windows and schedules: keyed records, whole topics, and processors that are killed meanwhile.
import { type Random, seededRandom } from '@flatline/base';
import { type PipelineConfig, resolveConfiguration } from '@flatline/config';
import type { BatchProducer } from '@flatline/kafka';
import type { RawRecord } from '@flatline/oracle';
import { readFileSync } from 'node:fs';
import type { Schema } from 'avsc';
import { kill } from './child.fixture.ts';
import { type Scenario, sleep } from './scenario.fixture.ts';
import { readWhole } from './whole-topic.fixture.ts';

export const PARTITIONS = 2;
const SEED = Number(process.env['SEED'] ?? 1);

export type ProducedRecord = Parameters<BatchProducer['add']>[0];
export type Headers = Readonly<Record<string, string | number>>;

export const bytes = (text: string): Uint8Array => Buffer.from(text);
export const textOf = (value: Uint8Array | null): string => Buffer.from(value ?? []).toString('utf8');

export function recordOf(key: string, value: Uint8Array | string | null, headers: Headers = {}): ProducedRecord {
  return {
    key: bytes(key),
    value: typeof value === 'string' ? bytes(value) : value,
    headers: Object.entries(headers).map(([name, of]) => ({ name, value: bytes(String(of)) })),
  };
}

/** The scenario's pipeline, with the rules of its kind as the processor has them. */
export function pipelineOf<Kind extends PipelineConfig['kind']>(
  scenario: Scenario,
  kind: Kind,
): Extract<PipelineConfig, { kind: Kind }> {
  const file: unknown = JSON.parse(readFileSync(scenario.config, 'utf8'));
  const [pipeline] = resolveConfiguration(file, { source: 'test', folder: '/', environment: {} }).pipelines;
  if (pipeline?.kind !== kind) throw new Error(`the pipeline is not of kind ${kind}`);
  return pipeline as Extract<PipelineConfig, { kind: Kind }>;
}

/** All records of a topic of the scenario, by partition. */
export function recordsIn({ kafka, partitions }: Scenario, topic: string): Promise<RawRecord[][]> {
  return readWhole(kafka, { topic, partitions });
}

/**
 * Sends 120 records drawn by `act`, with pauses, while two processors run; after each 40 one of them is killed and another started
 * in its place. `SEED` decides all that is random.
 */
export async function sendUnderKills(
  scenario: Scenario,
  act: (i: number, random: Random) => readonly ProducedRecord[] | Promise<readonly ProducedRecord[]>,
  pauseMs: (random: Random) => number = () => 100,
): Promise<void> {
  const random = seededRandom(SEED);
  const names = ['a', 'b'];
  const processors = names.map((name) => scenario.start(name));
  await scenario.producing(async (producer) => {
    for (let i = 1; i <= 120; i += 1) {
      await producer.send([...(await act(i, random))]);
      await sleep(pauseMs(random));
      if (i % 40 !== 0) continue;
      const at = random.below(2);
      await kill(processors[at]!.child);
      processors[at] = scenario.start(names[at]);
    }
  });
}

/** Resolves once the processor has registered it. */
export async function latestSchema(url: string, subject: string): Promise<Schema> {
  for (;;) {
    const answered = await fetch(`${url}/subjects/${subject}/versions/latest`);
    if (answered.ok) return JSON.parse(((await answered.json()) as { schema: string }).schema) as Schema;
    await sleep(100);
  }
}
