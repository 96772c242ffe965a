// Checks that what keeps the deliveries of a pipeline is partitioned as its output (N3).
import { counted, Misconfigured } from '@flatline/base';
import type { FlatlineConfig } from '@flatline/config';
import type { TopicDescription } from '@flatline/kafka';

/** @throws Misconfigured: a delivery is kept in the partition of its output's number */
export function checkDeliveries(
  { notifier }: Pick<FlatlineConfig, 'notifier'>,
  topics: ReadonlyMap<string, Pick<TopicDescription, 'partitions'>>,
): void {
  for (const { pipeline, deliveries } of notifier?.pipelines ?? []) {
    const { topic } = pipeline.output;
    const found = topics.get(topic)?.partitions ?? 0;
    const kept = topics.get(deliveries.input.topic)?.partitions ?? 0;
    if (found === kept) continue;
    const why = `${topic} has ${counted(found, 'partition')}, and ${deliveries.input.topic} ${kept}`;
    throw new Misconfigured(
      `pipeline ${pipeline.name}, notifier: ${why}. Give both as many: flatline topics create makes the latter, and more can be added to it while nothing waits`,
    );
  }
}
