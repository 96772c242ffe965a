import { counted, Misconfigured } from '@flatline/base';
import type { PipelineConfig } from '@flatline/config';
import type { TopicDescription } from '@flatline/kafka';

/** @throws Misconfigured where inputs that are read as one are partitioned otherwise: their keys would not meet (S8). */
export function checkInputs(
  { name, inputs = [] }: Pick<PipelineConfig, 'name' | 'inputs'>,
  topics: ReadonlyMap<string, Pick<TopicDescription, 'partitions'>>,
): void {
  const [first, ...others] = inputs.map(({ topic }) => ({ topic, partitions: topics.get(topic)?.partitions ?? 0 }));
  const other = others.find(({ partitions }) => partitions !== first!.partitions);
  if (other === undefined) return;
  const counts = [first!, other].map(({ topic, partitions }) => `${topic} has ${counted(partitions, 'partition')}`);
  throw new Misconfigured(
    `pipeline ${name}: ${counts.join(', ')}. Inputs of one pipeline have as many as each other, or the records of a key do not ` +
      'meet. Copy one of them to a topic with as many as the other',
  );
}
