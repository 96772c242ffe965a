import type { FlatlineConfig } from '@flatline/config';
import { largestRecords, targetsOf } from '@flatline/processor';
import type { TopicDescription, TopicFinding } from '@flatline/kafka';
import { Fatal } from '@flatline/base';
import { STAMP_UNLIMITED } from './topic-change.ts';
import type { ExistingTopic } from './existing-topic.ts';
import type { PipelineTopics } from './topic-requirements.ts';

/** The topics that the configuration's pipelines need. */
export function pipelineTopicsOf(config: FlatlineConfig): PipelineTopics[] {
  return config.pipelines.map((pipeline) => ({
    pipeline: pipeline.name,
    group: pipeline.group,
    input: pipeline.input.topic,
    timestampType: pipeline.input.timestampType,
    output: pipeline.output.topic,
    targets: targetsOf(pipeline),
    changelog: pipeline.changelogTopic,
    deadLetters: pipeline.deadLetterTopic,
    largest: largestRecords(pipeline),
  }));
}

export function topicNamesOf(pipelines: readonly PipelineTopics[]): string[] {
  return [
    ...new Set(
      pipelines.flatMap(({ input, output, targets = [], changelog, deadLetters }) => [
        input,
        output,
        ...targets,
        changelog,
        deadLetters,
      ]),
    ),
  ];
}

/** What of the findings exists, with its settings in Kafka's names. @throws Fatal where a topic may not be described. */
export function existingTopics(findings: readonly TopicFinding[]): Map<string, ExistingTopic> {
  const hidden = findings.filter(({ kind }) => kind === 'unauthorized').map(({ topic }) => topic);
  if (hidden.length > 0)
    throw new Fatal(`this user may not describe ${hidden.join(', ')}: allow it DESCRIBE and DESCRIBE_CONFIGS`);
  const present = findings.filter((finding) => finding.kind === 'present');
  return new Map(present.map((found) => [found.topic, existingTopic(found)]));
}

export function existingTopic(found: TopicDescription): ExistingTopic {
  const { topic, partitions } = found;
  const settings: readonly (readonly [string, string])[] = [
    ['cleanup.policy', found.cleanupPolicy.join(',')],
    ['message.timestamp.type', found.timestampType],
    ['message.timestamp.before.max.ms', limitText(found.timestampBeforeMaxMs)],
    ['message.timestamp.after.max.ms', limitText(found.timestampAfterMaxMs)],
    ['max.message.bytes', String(found.maxMessageBytes)],
    ['segment.bytes', String(found.segmentBytes)],
    ['retention.ms', String(found.retentionMs)],
    ['retention.bytes', String(found.retentionBytes)],
  ];
  return { topic, partitions, settings: new Map(settings) };
}

/** Numbers beyond 2^53 are Kafka's Long.MAX_VALUE, which a double does not hold. */
function limitText(limitMs: number): string {
  return limitMs > Number.MAX_SAFE_INTEGER ? STAMP_UNLIMITED : String(limitMs);
}
