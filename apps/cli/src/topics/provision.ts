import type { Clock } from '@flatline/base';
import { type KafkaConnection, KafkaTopicAdmin } from '@flatline/kafka';
import { usageFailure } from '../failure.ts';
import { existingTopics, topicNamesOf } from './pipeline-topics.ts';
import { deviationText, missingDeviation, type NewTopic, planTopics, type TopicPlan } from './topic-plan.ts';
import type { PipelineTopics } from './topic-requirements.ts';

/** For an input that does not exist and of which nothing is said. */
const partitionsDefault = 8;
/** Kafka's word for "as the broker is configured". */
const brokerDefault = -1;

export interface ProvisionOptions {
  readonly clock: Clock;
  readonly connection: KafkaConnection;
  readonly partitions: number | undefined;
  readonly replication: number | undefined;
}

/** What there is compared with what is needed. @throws Retriable, Fatal. */
export async function inspectTopics(
  pipelines: readonly PipelineTopics[],
  options: ProvisionOptions,
): Promise<TopicPlan> {
  const findings = await new KafkaTopicAdmin(options).describeTopics(topicNamesOf(pipelines));
  return planTopics(pipelines, existingTopics(findings), { asked: options.partitions, fallback: partitionsDefault });
}

/** @throws CommandFailure naming everything that is missing or wrong: a processor would not run on these topics. */
export async function assertUsable(pipelines: readonly PipelineTopics[], options: ProvisionOptions): Promise<void> {
  const { missing, deviations } = await inspectTopics(pipelines, options);
  const problems = [...missing.map(missingDeviation), ...deviations];
  if (problems.length > 0)
    throw usageFailure(`the topics are not as they have to be:\n${problems.map(deviationText).join('\n')}`);
}

/** Creates topics of a plan and waits until they can be used. What another has created meanwhile is left as it is. */
export async function createTopics(missing: readonly NewTopic[], options: ProvisionOptions): Promise<void> {
  if (missing.length === 0) return;
  const replicationFactor = options.replication ?? brokerDefault;
  await new KafkaTopicAdmin(options).createTopics(
    missing.map(({ topic, partitions, settings }) => ({
      ...{ topic, partitions, replicationFactor },
      settings: Object.fromEntries(settings),
    })),
  );
}
