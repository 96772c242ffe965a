import { counted, Retriable } from '@flatline/base';
import { errorOfCode } from '../connection/foreign-errors.ts';
import { KafkaCode } from '../connection/kafka-error-codes.ts';
import type { KafkaConnection } from '../connection/kafka-connection.ts';
import type { TopicMetadata, TopicRight } from '../connection/metadata.ts';
import { type CreateTopicAnswer, createTopicsRequest, decodeCreateTopics, type NewTopic } from './create-topics.ts';
import { decodeDescribeConfigs, describeConfigsRequest, type TopicSettings } from './describe-configs.ts';
import {
  alterConfigsRequest,
  createPartitionsRequest,
  decodeAlterConfigs,
  decodeCreatePartitions,
  type TopicGrowth,
  type TopicSettingsChange,
} from './alter-topics.ts';
import { type AdminOptions, administer } from './patience.ts';

const CREATE_TIMEOUT_MS = 15_000;

/** The settings that rules and operators care about, in Kafka's own names. */
const SETTINGS = [
  'cleanup.policy',
  'max.message.bytes',
  'message.timestamp.after.max.ms',
  'message.timestamp.before.max.ms',
  'message.timestamp.type',
  'min.insync.replicas',
  'retention.bytes',
  'retention.ms',
  'segment.bytes',
  'unclean.leader.election.enable',
] as const;

export interface TopicDescription {
  readonly kind: 'present';
  readonly topic: string;
  /** 32 hexadecimal digits; changes when the topic is deleted and created again. */
  readonly topicId: string;
  readonly partitions: number;
  /** Rights of this principal on it; undefined where the broker does not say (KIP-430). */
  readonly rights: ReadonlySet<TopicRight> | undefined;
  /** Least replication factor of any partition. */
  readonly replicationFactor: number;
  /** Words of `cleanup.policy`: `delete`, `compact`, or both. */
  readonly cleanupPolicy: readonly string[];
  readonly timestampType: 'CreateTime' | 'LogAppendTime';
  /** A record stamped longer than this before its arrival is refused (CreateTime, KIP-937). */
  readonly timestampBeforeMaxMs: number;
  /** A record stamped further than this ahead of its arrival is refused. */
  readonly timestampAfterMaxMs: number;
  readonly maxMessageBytes: number;
  readonly segmentBytes: number;
  readonly minInSyncReplicas: number;
  /** Only what has all that was acknowledged may lead. False where the broker does not say. */
  readonly electsCleanly: boolean;
  /** −1: no limit. */
  readonly retentionMs: number;
  /** −1: no limit. */
  readonly retentionBytes: number;
}

export type TopicFinding = TopicDescription | { readonly kind: 'missing' | 'unauthorized'; readonly topic: string };

export interface CreatedTopic {
  readonly topic: string;
  readonly outcome: 'created' | 'existed';
}

/** Provisions and inspects topics. @throws Retriable naming the bootstrap addresses where no broker answers in time. */
export class KafkaTopicAdmin {
  readonly #options: AdminOptions;
  readonly #connection: KafkaConnection;

  constructor(options: AdminOptions) {
    this.#options = options;
    this.#connection = options.connection;
  }

  /** Descriptions of the topics that exist, in the order asked. @throws Retriable, Fatal. */
  describeTopics(topics: readonly string[]): Promise<readonly TopicFinding[]> {
    return administer(this.#options, async () => {
      const metadata = (await this.#connection.refresh(topics, { withRights: true })).topics;
      const present = metadata.filter(({ errorCode }) => errorCode === KafkaCode.none).map(({ topic }) => topic);
      const settings = await this.#settings(present);
      return topics.map((topic) =>
        findingOf(
          topic,
          metadata.find((each) => each.topic === topic),
          settings.get(topic),
        ),
      );
    });
  }

  /** Names of all topics that this principal may see, in no order. @throws Retriable, Fatal. */
  topicNames(): Promise<readonly string[]> {
    return administer(this.#options, () => this.#connection.topicNames());
  }

  /**
   * Creates what does not exist yet and waits until every partition has a leader. What exists is left as it is.
   * @throws Fatal with the broker's reason (replication factor, policy, authorization), Retriable.
   */
  async createTopics(topics: readonly NewTopic[]): Promise<readonly CreatedTopic[]> {
    const answers = await administer(this.#options, async () => {
      const controller = await this.#connection.controller();
      const doing = 'create topics';
      const request = createTopicsRequest(topics, CREATE_TIMEOUT_MS);
      const answered = await this.#connection.send(controller, request, decodeCreateTopics, { doing });
      return answered.map(createdOf);
    });
    await administer(this.#options, () => this.#awaitLeaders(topics.map(({ topic }) => topic)));
    return answers;
  }

  /** Sets what is named and waits until brokers show it. @throws Fatal with the broker's reason, Retriable. */
  async alterSettings(changes: readonly TopicSettingsChange[]): Promise<void> {
    if (changes.length === 0) return;
    const doing = `alter topics ${changes.map(({ topic }) => topic).join(', ')}`;
    await administer(this.#options, async () => {
      const controller = await this.#connection.controller();
      await this.#connection.send(controller, alterConfigsRequest(changes), decodeAlterConfigs, { doing });
    });
    await administer(this.#options, () => this.#awaitSettings(changes));
  }

  /** Adds partitions and waits until each has a leader. @throws Fatal with the broker's reason, Retriable. */
  async addPartitions(growths: readonly TopicGrowth[]): Promise<void> {
    if (growths.length === 0) return;
    const doing = `add partitions to ${growths.map(({ topic }) => topic).join(', ')}`;
    await administer(this.#options, async () => {
      const controller = await this.#connection.controller();
      const request = createPartitionsRequest(growths, CREATE_TIMEOUT_MS);
      await this.#connection.send(controller, request, decodeCreatePartitions, { doing });
    });
    await administer(this.#options, () => this.#awaitPartitions(growths));
  }

  async #awaitSettings(changes: readonly TopicSettingsChange[]): Promise<void> {
    const found = await this.#settings(changes.map(({ topic }) => topic));
    for (const { topic, settings } of changes)
      for (const [name, value] of Object.entries(settings))
        if (found.get(topic)?.get(name) !== value)
          throw new Retriable(`topic ${topic} does not show ${name}=${value} yet`);
  }

  async #awaitPartitions(growths: readonly TopicGrowth[]): Promise<void> {
    await this.#awaitLeaders(growths.map(({ topic }) => topic));
    const { topics } = await this.#connection.refresh(growths.map(({ topic }) => topic));
    for (const { topic, partitions } of growths)
      if (topics.find((each) => each.topic === topic)?.partitions.length !== partitions)
        throw new Retriable(`topic ${topic} does not show ${counted(partitions, 'partition')} yet`);
  }

  async #settings(topics: readonly string[]): Promise<ReadonlyMap<string, TopicSettings>> {
    if (topics.length === 0) return new Map();
    const doing = `read the settings of ${topics.join(', ')}`;
    return this.#connection.sendAny(describeConfigsRequest(topics, SETTINGS), decodeDescribeConfigs, { doing });
  }

  async #awaitLeaders(topics: readonly string[]): Promise<void> {
    const { topics: found } = await this.#connection.refresh(topics);
    for (const { topic, errorCode, partitions } of found) {
      if (errorCode !== KafkaCode.none) throw errorOfCode(errorCode, `see topic ${topic}`);
      if (partitions.some(({ leader }) => leader < 0)) throw new Retriable(`topic ${topic} has no leaders yet`);
    }
  }
}

function createdOf({ topic, code, message }: CreateTopicAnswer): CreatedTopic {
  if (code === KafkaCode.none) return { topic, outcome: 'created' };
  if (code === KafkaCode.topicAlreadyExists) return { topic, outcome: 'existed' };
  throw errorOfCode(code, `create topic ${topic}`, message);
}

function findingOf(
  topic: string,
  metadata: TopicMetadata | undefined,
  settings: TopicSettings | undefined,
): TopicFinding {
  const code = metadata?.errorCode ?? KafkaCode.unknownTopicOrPartition;
  if (code === KafkaCode.unknownTopicOrPartition) return { kind: 'missing', topic };
  if (code === KafkaCode.topicAuthorizationFailed) return { kind: 'unauthorized', topic };
  if (code !== KafkaCode.none) throw errorOfCode(code, `describe topic ${topic}`);
  // Deleted between the two questions.
  if (metadata === undefined || settings === undefined) return { kind: 'missing', topic };
  const number = (setting: (typeof SETTINGS)[number]): number => Number(settings.get(setting) ?? NaN);
  return {
    kind: 'present',
    topic,
    topicId: metadata.topicId,
    partitions: metadata.partitions.length,
    rights: metadata.rights,
    replicationFactor: Math.min(...metadata.partitions.map(({ replicas }) => replicas.length)),
    cleanupPolicy: (settings.get('cleanup.policy') ?? '').split(',').filter((word) => word !== ''),
    timestampType: settings.get('message.timestamp.type') === 'LogAppendTime' ? 'LogAppendTime' : 'CreateTime',
    timestampBeforeMaxMs: number('message.timestamp.before.max.ms'),
    timestampAfterMaxMs: number('message.timestamp.after.max.ms'),
    maxMessageBytes: number('max.message.bytes'),
    segmentBytes: number('segment.bytes'),
    minInSyncReplicas: number('min.insync.replicas'),
    electsCleanly: settings.get('unclean.leader.election.enable') === 'false',
    retentionMs: number('retention.ms'),
    retentionBytes: number('retention.bytes'),
  };
}
