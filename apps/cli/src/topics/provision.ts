import type { Clock } from '@flatline/base';
import { type KafkaConnection, KafkaTopicAdmin } from '@flatline/kafka';
import { usageFailure } from '../failure.ts';
import { type ApplicationState, readState } from './application-state.ts';
import type { Deviation } from './deviation.ts';
import type { ExistingTopic } from './existing-topic.ts';
import { foreignOutputs } from './foreign-output.ts';
import { existingTopics, topicNamesOf } from './pipeline-topics.ts';
import type { TopicChange } from './topic-change.ts';
import {
  deviationText,
  type Findings,
  missingDeviation,
  type NewTopic,
  planTopics,
  type TopicPlan,
} from './topic-plan.ts';
import { readersOfAltered, type TopicReaders } from './topic-readers.ts';
import { findForeignDeliveries, type PipelineTopics } from '@flatline/processor';

/** For an input that does not exist, if the user names no number. */
const PARTITIONS_DEFAULT = 8;
/** Kafka's word for "as the broker is configured". */
const BROKER_DEFAULT = -1;

export interface ProvisionOptions {
  readonly clock: Clock;
  readonly connection: KafkaConnection;
  readonly partitions: number | undefined;
  readonly replication: number | undefined;
  /** For the commands that remedies name, see `Findings.flags`. */
  readonly flags: string;
}

export interface Inspection {
  readonly plan: TopicPlan;
  readonly existing: ReadonlyMap<string, ExistingTopic>;
  readonly readers: TopicReaders;
}

/** Compares the topics there are with those needed, and with what the changelogs hold. @throws Retriable, Fatal. */
export async function inspectTopics(
  pipelines: readonly PipelineTopics[],
  options: ProvisionOptions,
): Promise<Inspection> {
  const existing = await describe(pipelines, options);
  const states = await readStates(pipelines, existing, options);
  const readers = await readersOfAltered(pipelines, existing, options);
  const foreign = await foreignOutputs(pipelines, existing, options);
  const foreignDeliveries = await findForeignDeliveries(pipelines, options);
  const looked = { states, readers, foreignOutputs: foreign, foreignDeliveries };
  return { plan: planned(pipelines, existing, { ...looked, options }), existing, readers };
}

/**
 * Returns the risks of losing records on these topics, in words.
 * @throws CommandFailure naming everything that is missing or wrong: a processor would not run on these topics.
 */
export async function assertUsable(
  pipelines: readonly PipelineTopics[],
  options: ProvisionOptions,
): Promise<readonly Deviation[]> {
  const existing = await describe(pipelines, options);
  const foreign = await foreignOutputs(pipelines, existing, options);
  const foreignDeliveries = await findForeignDeliveries(pipelines, options);
  const looked = { states: new Map(), readers: new Map(), foreignOutputs: foreign, foreignDeliveries };
  const { missing, deviations, unreached, risks } = planned(pipelines, existing, { ...looked, options });
  if (missing.length + deviations.length + unreached.length === 0) return risks;
  // Only now: no remedy without having looked at the state.
  const { plan } = await inspectTopics(pipelines, options);
  const missed = plan.missing.map((topic) => missingDeviation(topic, options.flags));
  const problems = [...missed, ...plan.deviations, ...plan.unreached];
  if (problems.length === 0) return plan.risks;
  throw usageFailure(`the topics are not as they have to be:\n${problems.map(deviationText).join('\n')}`);
}

async function describe(
  pipelines: readonly PipelineTopics[],
  options: ProvisionOptions,
): Promise<Map<string, ExistingTopic>> {
  const routed = pipelines.flatMap((topics) => topics.routed ?? []);
  const names = new Set([...topicNamesOf(pipelines), ...routed]);
  return existingTopics(await new KafkaTopicAdmin(options).describeTopics([...names]), pipelines);
}

function planned(
  pipelines: readonly PipelineTopics[],
  existing: ReadonlyMap<string, ExistingTopic>,
  {
    options,
    ...looked
  }: Pick<Findings, 'states' | 'readers' | 'foreignOutputs' | 'foreignDeliveries'> & {
    readonly options: ProvisionOptions;
  },
): TopicPlan {
  const { partitions: asked, flags } = options;
  return planTopics(pipelines, { existing, ...looked, flags, partitions: { asked, fallback: PARTITIONS_DEFAULT } });
}

async function readStates(
  pipelines: readonly PipelineTopics[],
  existing: ReadonlyMap<string, ExistingTopic>,
  options: ProvisionOptions,
): Promise<ReadonlyMap<string, ApplicationState>> {
  const states = new Map<string, ApplicationState>();
  const partitionsOf = (topic: string): number => existing.get(topic)?.partitions ?? 0;
  for (const { changelog, input, group } of pipelines) {
    const place = { changelog, changelogPartitions: partitionsOf(changelog), group };
    states.set(changelog, await readState({ ...place, input, inputPartitions: partitionsOf(input) }, options));
  }
  return states;
}

/** Creates topics of a plan and waits until they can be used. What another has created meanwhile is left as it is. */
export async function createTopics(missing: readonly NewTopic[], options: ProvisionOptions): Promise<void> {
  if (missing.length === 0) return;
  const replicationFactor = options.replication ?? BROKER_DEFAULT;
  await new KafkaTopicAdmin(options).createTopics(
    missing.map(({ topic, partitions, settings }) => ({
      topic,
      partitions,
      replicationFactor,
      settings: Object.fromEntries(settings),
    })),
  );
}

/** Settings first, so that added partitions have them. */
export async function applyChanges(
  changes: readonly TopicChange[],
  options: Pick<ProvisionOptions, 'clock' | 'connection'>,
): Promise<void> {
  const admin = new KafkaTopicAdmin(options);
  await admin.alterSettings(
    changes.flatMap((change) =>
      change.kind === 'settings' ? [{ topic: change.topic, settings: Object.fromEntries(change.settings) }] : [],
    ),
  );
  await admin.addPartitions(
    changes.flatMap((change) => (change.kind === 'partitions' ? [{ topic: change.topic, partitions: change.to }] : [])),
  );
}
