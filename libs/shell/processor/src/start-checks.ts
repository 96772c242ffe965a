// Looks at the cluster before a processor starts: its topics, and the notes of its groups, against the configuration.
import { type Clock, Misconfigured } from '@flatline/base';
import type { FlatlineConfig } from '@flatline/config';
import {
  KafkaGroupAdmin,
  type KafkaOptions,
  KafkaTopicAdmin,
  openCluster,
  type TopicDescription,
} from '@flatline/kafka';
import { kindOf } from '@flatline/kind-modules';
import { checkTokenEpoch, type RuntimeLog } from '@flatline/runtime';
import { checkInputs } from './check-inputs.ts';
import { checkKind } from './check-kind.ts';
import { checkLargestRecords } from './check-largest-records.ts';
import { checkRoutes } from './check-routes.ts';
import { checkTargets } from './check-targets.ts';
import { checkDeliveries } from './notifying/check-deliveries.ts';
import { pipelineTopicsOf } from './pipeline-topics.ts';
import { checkForeignDeliveries } from './topics/foreign-deliveries.ts';
import { assertRights } from './topics/topic-rights.ts';

export interface StartParts {
  readonly config: FlatlineConfig;
  readonly kafka: KafkaOptions;
  readonly clock: Clock;
  readonly log: RuntimeLog;
}

/** By name, those that exist. */
type Topics = ReadonlyMap<string, TopicDescription>;

const ABSENT = {
  missing: 'does not exist: flatline topics create, with this configuration, makes what is missing',
  unauthorized: 'may not be described by this user: allow it DESCRIBE and DESCRIBE_CONFIGS',
};

/** C8: a consequence of the configuration that it does not say itself. */
export function warnOfPaces({ config, log }: Pick<StartParts, 'config' | 'log'>): void {
  for (const pipeline of config.pipelines)
    if (pipeline.isPacedTooSlowly)
      log.warn('an outage of the brokers counts as silence', {
        pipeline: pipeline.name,
        why: kindOf(pipeline).outage(pipeline).text,
      });
}

/** @throws Misconfigured */
export function checkAgainstTopics(config: FlatlineConfig, topics: Topics): void {
  for (const pipeline of config.pipelines) {
    checkInputs(pipeline, topics);
    checkTargets(pipeline, topics);
    checkRoutes(pipeline, topics);
    checkLargestRecords(pipeline, topics);
  }
  checkDeliveries(config, topics);
}

/** @throws Misconfigured */
export async function checkNotes({ config, kafka, clock }: Omit<StartParts, 'log'>): Promise<void> {
  const connection = openCluster(kafka);
  try {
    const groups = new KafkaGroupAdmin({ clock, connection });
    // Another input leaves the changelog what it is: notes beside any topic count.
    for (const pipeline of config.pipelines) {
      const notes = await groups.notes(pipeline.group);
      checkKind(pipeline, notes);
      const { name, group } = pipeline;
      const { tokenEpoch } = kindOf(pipeline).taskSettings(pipeline);
      if (tokenEpoch !== undefined) checkTokenEpoch({ name, group, tokenEpoch }, notes);
    }
  } finally {
    connection.close();
  }
}

/**
 * Returns the topics that exist; writing to one that is missing will tell.
 * @throws Misconfigured where an input is not there, Fatal where this user lacks a right.
 */
export async function describedTopics({ config, kafka, clock }: Omit<StartParts, 'log'>): Promise<Topics> {
  const connection = openCluster(kafka);
  try {
    const admin = new KafkaTopicAdmin({ clock, connection });
    const inputs = config.pipelines.flatMap(({ input, inputs: all = [input] }) => all.map(({ topic }) => topic));
    const others = config.pipelines.flatMap((pipeline) => [
      pipeline.output.topic,
      pipeline.changelogTopic,
      pipeline.deadLetterTopic,
      ...pipeline.targets,
      ...(pipeline.routes ?? []).map(({ to }) => to),
    ]);
    // Other processes may run the pipelines whose outputs are delivered here.
    const delivered = (config.notifier?.pipelines ?? []).map(({ pipeline }) => pipeline.output.topic);
    const found = await admin.describeTopics([...new Set([...inputs, ...others, ...delivered])]);
    const pipelines = pipelineTopicsOf(config);
    assertRights(pipelines, found);
    await checkForeignDeliveries(pipelines, { clock, connection });
    for (const { kind, topic } of found)
      if (kind !== 'present' && inputs.includes(topic)) throw new Misconfigured(`topic ${topic} ${ABSENT[kind]}`);
    return new Map(found.filter((each) => each.kind === 'present').map((each) => [each.topic, each]));
  } finally {
    connection.close();
  }
}
