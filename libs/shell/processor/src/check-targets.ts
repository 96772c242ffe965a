// Checks that the topics exist to which a pipeline's records may go beside its output (D1).
import { Misconfigured } from '@flatline/base';
import type { PipelineConfig } from '@flatline/config';
import type { TopicDescription } from '@flatline/kafka';

/** @throws Misconfigured: the first message for it would stop its partition. */
export function checkTargets(pipeline: PipelineConfig, topics: ReadonlyMap<string, TopicDescription>): void {
  const wanted = topics.get(pipeline.input.topic)?.partitions;
  for (const target of pipeline.targets) {
    const found = topics.get(target)?.partitions;
    const why =
      found === undefined
        ? 'does not exist, or may not be described by this user: create it, or take it from targets once nothing that is pending is for it, or leave out stats'
        : `has ${found} partitions, and the input ${pipeline.input.topic} ${wanted}: a task writes to the partition of its own number`;
    if (found !== wanted) throw new Misconfigured(`pipeline ${pipeline.name}: target ${target} ${why}`);
  }
}
