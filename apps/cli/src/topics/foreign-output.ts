// Outputs that others have written to: records do not say whose they are, but before a pipeline's first claim none are its own.
import { type DurationMs, Retriable } from '@flatline/base';
import { KafkaLogAdmin } from '@flatline/kafka';
import type { TopicPartition } from '@flatline/ports';
import type { StateReading } from './application-state.ts';
import type { ExistingTopic } from './existing-topic.ts';
import type { PipelineTopics } from '@flatline/processor';

/** From the first failure on: no start waits long for a partition without a leader, for the sake of a warning. */
const PATIENCE_MS: DurationMs = 1_000;

/**
 * Outputs that hold records while nothing was ever written to the pipeline's changelog. One question to the cluster where
 * the pipeline has begun, else three a partition. Questions not answered in time are left out. @throws Fatal.
 */
export async function foreignOutputs(
  pipelines: readonly PipelineTopics[],
  existing: ReadonlyMap<string, ExistingTopic>,
  reading: StateReading,
): Promise<ReadonlySet<string>> {
  const admin = new KafkaLogAdmin({ ...reading, patienceMs: PATIENCE_MS });
  const partitionsOf = (topic: string): TopicPartition[] =>
    Array.from({ length: existing.get(topic)?.partitions ?? 0 }, (_, partition) => ({ topic, partition }));
  const found = new Set<string>();
  try {
    for (const { output, changelog } of pipelines) {
      const everUsed = async (each: TopicPartition): Promise<boolean> => (await admin.replicatedEnd(each)) > 0;
      if (!(await some(partitionsOf(changelog), everUsed)) && (await some(partitionsOf(output), holdsRecords)))
        found.add(output);
    }
  } catch (error) {
    if (!(error instanceof Retriable)) throw error;
  }
  return found;

  async function holdsRecords(each: TopicPartition): Promise<boolean> {
    const { logStartOffset, lastStableOffset } = await admin.ends(each);
    return lastStableOffset > logStartOffset;
  }
}

/** The first is asked alone: as a rule it answers for all. */
async function some(
  partitions: readonly TopicPartition[],
  holds: (each: TopicPartition) => Promise<boolean>,
): Promise<boolean> {
  const [first, ...others] = partitions;
  if (first === undefined) return false;
  return (await holds(first)) || (await Promise.all(others.map(holds))).some((each) => each);
}
