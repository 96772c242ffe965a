// Checks that a pipeline's topics take the longest records that its limits allow (I4).
import { Misconfigured } from '@flatline/base';
import type { PipelineConfig } from '@flatline/config';
import type { TopicDescription } from '@flatline/kafka';
import { largestRecords } from './largest-records.ts';

/** @throws Fatal where an entry could grow until its partition stops. */
export function checkLargestRecords(pipeline: PipelineConfig, topics: ReadonlyMap<string, TopicDescription>): void {
  const { changelogBytes, outputBytes, settings, outputs } = largestRecords(pipeline);
  const wanted = [
    { topic: pipeline.changelogTopic, bytes: changelogBytes, what: 'a block of the changelog' },
    ...[pipeline.output.topic, ...pipeline.targets].map((topic) => ({ topic, bytes: outputBytes, what: outputs })),
  ];
  const wrong = wanted.flatMap(({ topic, bytes, what }) => {
    const most = topics.get(topic)?.maxMessageBytes ?? Infinity;
    return bytes > most
      ? [{ topic, bytes, found: `${what} may have ${bytes} bytes, max.message.bytes of ${topic} is ${most}` }]
      : [];
  });
  if (wrong.length === 0) return;
  throw new Misconfigured(
    `pipeline ${pipeline.name}: with ${settings} ${wrong.map(({ found }) => found).join('; ')}. Lower these settings, or raise ` +
      wrong.map(({ topic, bytes }) => `max.message.bytes of ${topic} to ${bytes}`).join(' and '),
  );
}
