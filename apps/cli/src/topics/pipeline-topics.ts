import { Fatal } from '@flatline/base';
import type { TopicDescription, TopicFinding } from '@flatline/kafka';
import { lackingRights, type PipelineTopics, rightsText, topicSettings } from '@flatline/processor';
import type { ExistingTopic } from './existing-topic.ts';

export function topicNamesOf(pipelines: readonly PipelineTopics[]): string[] {
  return [
    ...new Set(
      pipelines.flatMap(({ input, furtherInputs = [], output, targets = [], changelog, deadLetters }) => [
        input,
        ...furtherInputs.map(({ topic }) => topic),
        output,
        ...targets,
        changelog,
        deadLetters,
      ]),
    ),
  ];
}

/**
 * Topics of the findings that exist, with their settings in Kafka's names.
 * @throws Fatal where a topic may not be described, with all rights that the processor of `pipelines` needs on it.
 */
export function existingTopics(
  findings: readonly TopicFinding[],
  pipelines: readonly PipelineTopics[],
): Map<string, ExistingTopic> {
  const hidden = findings.filter(({ kind }) => kind === 'unauthorized');
  if (hidden.length > 0) {
    const remedy = lackingRights(pipelines, hidden).map(rightsText).join('; ');
    throw new Fatal(`this user may not describe ${hidden.map(({ topic }) => topic).join(', ')}: ${remedy}`);
  }
  const present = findings.filter((finding) => finding.kind === 'present');
  return new Map(present.map((found) => [found.topic, existingTopic(found)]));
}

export function existingTopic(found: TopicDescription): ExistingTopic {
  const { topic, partitions } = found;
  return { topic, partitions, settings: topicSettings(found) };
}
