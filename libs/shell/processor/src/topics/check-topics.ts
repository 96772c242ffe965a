// Checks that topics are as a processor needs them, where no command has looked and named each remedy. Pure.
import { Misconfigured } from '@flatline/base';
import type { TopicDescription } from '@flatline/kafka';
import { type PipelineTopics, requirementsOf } from './topic-requirements.ts';
import { topicSettings } from './topic-settings.ts';

/**
 * The type of an input's stamps is left to its tasks: where it was altered, they commit what lies before the change (C6).
 * @throws Misconfigured with all that is missing, or would lose something (K7).
 */
export function checkTopics(pipelines: readonly PipelineTopics[], topics: ReadonlyMap<string, TopicDescription>): void {
  const problems = [...new Set(pipelines.flatMap((pipeline) => problemsOf(pipeline, topics)))];
  if (problems.length === 0) return;
  throw new Misconfigured(
    `the topics are not as they have to be: ${problems.join('; ')}. With this configuration in a file, ` +
      'flatline topics check names each remedy, and flatline topics create makes what is missing',
  );
}

function problemsOf(pipeline: PipelineTopics, topics: ReadonlyMap<string, TopicDescription>): string[] {
  const input = topics.get(pipeline.input);
  return requirementsOf(pipeline, input?.maxMessageBytes).flatMap(({ topic, role, settings }) => {
    const found = topics.get(topic);
    if (found === undefined) return [`${topic} does not exist, or may not be described by this user`];
    const present = topicSettings(found);
    const wrong = settings.flatMap(({ name, value, accepts, reason, isRisk }) => {
      const actual = present.get(name);
      const isLeft = isRisk === true || (role === 'input' && name === 'message.timestamp.type');
      if (isLeft || (actual !== undefined && accepts(actual))) return [];
      return [`${name} of ${topic} is ${actual ?? 'not known'}, wanted ${value}: otherwise ${reason}`];
    });
    const isPartitioned = input === undefined || found.partitions === input.partitions;
    return isPartitioned ? wrong : [otherPartitions(found, input), ...wrong];
  });
}

function otherPartitions(found: TopicDescription, input: TopicDescription): string {
  return `${found.topic} has ${found.partitions} partitions, its input ${input.topic} ${input.partitions}`;
}
