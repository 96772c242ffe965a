// One client of one Kafka cluster: which nodes there are, who leads a partition, who coordinates a group or transaction.
//
// Owns: a BrokerLink per address, the newest metadata of each topic asked for.
// Does not own: retrying requests (the callers know what may be sent twice), the meaning of answers.
//
// Invariants
//   KC1  Metadata of a topic is replaced only by a broker's answer, never guessed; a leader never by that of an earlier epoch,
//        which a node cut off from the controllers would name (KIP-320).
//   KC2  While no known node can be reached, the bootstrap addresses are asked again (KIP-899).
//   KC3  A wide question goes first to the node that was asked longest ago, so that none is believed for ever; two connected
//        nodes are enough. Any other goes to the same node again, since others may not have heard yet of what was just done.
import { withoutCredentials } from '@flatline/system';
import { type DurationMs, Misconfigured, Retriable } from '@flatline/base';
import type { TopicPartition } from '@flatline/ports';
import type { Logger } from 'kafkajs/src/loggers/index.js';
import { BrokerLink } from './broker-link.ts';
import { type CoordinatorKind, decodeFindCoordinator, findCoordinatorRequest } from './find-coordinator.ts';
import { codeOf, errorOfCode } from './foreign-errors.ts';
import { kafkajsLogger } from './kafkajs-log.ts';
import { KafkaCode } from './kafka-error-codes.ts';
import { type BrokerAddress, formatAddress, type KafkaOptions, parseAddress } from './kafka-options.ts';
import type { AnswerDecoder, KafkaRequest, SendOptions } from './kafka-request.ts';
import {
  type ClusterMetadata,
  decodeMetadata,
  metadataRequest,
  type NodeAddress,
  type TopicMetadata,
} from './metadata.ts';

/** Longest delay of Node's timers. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How long a node may take to answer before the next one is asked. */
const METADATA_TIMEOUT_MS = 5_000;

export interface Widely {
  /** One node may be wrong: the next question goes to another one. */
  readonly widely?: boolean;
}

export interface Leader {
  readonly nodeId: number;
  readonly leaderEpoch: number;
  readonly topicId: string;
}

/**
 * Opens no socket yet: connections are made when first needed. Until `close` it keeps the process alive, also while it
 * waits for brokers to come back. @throws Misconfigured where an address is malformed.
 */
export function openCluster(options: KafkaOptions): KafkaConnection {
  return new KafkaConnection(options);
}

export class KafkaConnection {
  readonly #options: KafkaOptions;
  readonly #logger: Logger;
  readonly #bootstrap: readonly BrokerAddress[];
  readonly #links = new Map<string, BrokerLink>();
  readonly #topics = new Map<string, TopicMetadata>();
  /** When each topic's metadata last came, monotonic. */
  readonly #seenAtMs = new Map<string, DurationMs>();
  /** Number of the last question to each address that any node could have answered. */
  readonly #lastAsked = new Map<string, number>();
  #questions = 0;
  /** Coordinators last named, one for each group and transactional id of this process. */
  readonly #coordinators = new Map<string, number>();
  #nodes = new Map<number, BrokerAddress>();
  /** Sockets would do it, but there is none during a back-off, and timers of a Clock do not. */
  readonly #processAlive: NodeJS.Timeout;
  #closed = false;

  constructor(options: KafkaOptions) {
    this.#options = options;
    this.#logger = kafkajsLogger(options);
    this.#bootstrap = options.brokers.map((text) => {
      const address = parseAddress(text);
      if (address === undefined)
        throw new Misconfigured(`brokers: "${withoutCredentials(text)}" is not host:port, for example 127.0.0.1:9092`);
      return address;
    });
    if (this.#bootstrap.length === 0) throw new Misconfigured('brokers: is empty; name at least one host:port');
    this.#processAlive = setInterval(() => undefined, LONGEST_TIMER_MS);
  }

  /**
   * Sends one request to one node and decodes its answer. Never tries again by itself.
   * @throws Retriable where the node is unknown, unreachable or silent; Fatal; whatever `decode` throws.
   */
  send<T>(nodeId: number, request: KafkaRequest, decode: AnswerDecoder<T>, options?: SendOptions): Promise<T> {
    const address = this.#nodes.get(nodeId);
    if (address === undefined) {
      const doing = options?.doing ?? `send ${request.apiName}`;
      return Promise.reject(new Retriable(`cannot ${doing}: node ${nodeId} is not known`));
    }
    return this.#link(address).send(request, decode, options);
  }

  /** Sends to whichever node answers first in turn. @throws Retriable naming the bootstrap addresses; Fatal. */
  async sendAny<T>(request: KafkaRequest, decode: AnswerDecoder<T>, options: SendOptions & Widely = {}): Promise<T> {
    const failures: string[] = [];
    for (const link of this.#candidates(options.widely === true)) {
      this.#lastAsked.set(link.address, (this.#questions += 1));
      try {
        return await link.send(request, decode, options);
      } catch (error) {
        // Another node is asked only where this one could not be reached: an error code is an answer, too.
        if (!(error instanceof Retriable) || codeOf(error) !== undefined) throw error;
        failures.push(error.message);
      }
    }
    const brokers = this.#options.brokers.join(', ');
    throw new Retriable(
      `no broker answers at ${brokers}: ${failures.join('; ')}; start Kafka there, or correct the setting brokers (KAFKA_BROKERS)`,
    );
  }

  /** Asks for the newest metadata of these topics; a topic's own error is in its `errorCode`. @throws Retriable, Fatal. */
  async refresh(
    topics: readonly string[],
    { widely = false, withRights = false }: Widely & { readonly withRights?: boolean } = {},
  ): Promise<ClusterMetadata> {
    const metadata = await this.sendAny(metadataRequest(topics, withRights), decodeMetadata, {
      doing: 'read the metadata',
      timeoutMs: METADATA_TIMEOUT_MS,
      widely,
    });
    this.#nodes = new Map(metadata.nodes.map((node) => [node.nodeId, node]));
    const now = this.#options.clock.monotonicMs();
    for (const topic of metadata.topics) {
      this.#topics.set(topic.topic, newerOf(this.#topics.get(topic.topic), topic));
      this.#seenAtMs.set(topic.topic, now);
    }
    this.#dropStrangers();
    return metadata;
  }

  /** Names of all topics that this principal may see. Nothing of them is remembered. @throws Retriable, Fatal. */
  async topicNames(): Promise<readonly string[]> {
    const { topics } = await this.sendAny(metadataRequest('all'), decodeMetadata, {
      doing: 'list the topics',
      timeoutMs: METADATA_TIMEOUT_MS,
    });
    return topics.map(({ topic }) => topic);
  }

  /** The leader of the latest epoch that was named; undefined where that has none, where it was forgotten, or never asked for. */
  knownLeader({ topic, partition }: TopicPartition): Leader | undefined {
    const known = this.#seenAtMs.has(topic) ? this.#topics.get(topic) : undefined;
    const found = known?.partitions[partition];
    if (known === undefined || found === undefined || found.leader < 0) return undefined;
    return { nodeId: found.leader, leaderEpoch: found.leaderEpoch, topicId: known.topicId };
  }

  /**
   * The partition's leader, asking for metadata where it is not known, or was last named longer ago than `ageMaxMs`.
   * @throws Retriable where it has none; Fatal.
   */
  async leader(partition: TopicPartition, ageMaxMs: DurationMs = Infinity): Promise<Leader> {
    const known = this.knownLeader(partition);
    const seenAtMs = this.#seenAtMs.get(partition.topic) ?? -Infinity;
    if (known !== undefined && this.#options.clock.monotonicMs() - seenAtMs <= ageMaxMs) return known;
    // Another node than the one that named it, where it was named and then forgotten.
    await this.refresh([partition.topic], { widely: this.#topics.has(partition.topic) });
    const found = this.knownLeader(partition);
    if (found !== undefined) return found;
    const doing = `find the leader of ${partition.topic}-${partition.partition}`;
    throw errorOfCode(this.#whyLeaderless(partition), doing);
  }

  /** In words, with its address where that is known. */
  nameOf(nodeId: number): string {
    const address = this.#nodes.get(nodeId);
    return address === undefined ? `broker ${nodeId}` : `broker ${nodeId} at ${formatAddress(address)}`;
  }

  /** Forgets who led the topic's partitions, not in which epochs: after NOT_LEADER_OR_FOLLOWER, so that `leader` asks again. */
  forgetLeaders(topic: string): void {
    this.#seenAtMs.delete(topic);
  }

  /**
   * The node that coordinates; asks each time, so keep it until it fails. Asking again means that the last node named did not
   * serve: if it is named again, another node is asked, too, since a node cut off from the controllers names itself for ever.
   * @throws Retriable, Fatal.
   */
  async coordinator(kind: CoordinatorKind, key: string): Promise<number> {
    const name = `${kind} ${key}`;
    const last = this.#coordinators.get(name);
    const first = await this.#findCoordinator(kind, key, last !== undefined);
    const node = first === last ? await this.#findCoordinator(kind, key, true) : first;
    this.#coordinators.set(name, node);
    return node;
  }

  async #findCoordinator(kind: CoordinatorKind, key: string, widely: boolean): Promise<number> {
    const doing = `find the coordinator of ${kind} ${key}`;
    const node = await this.sendAny(
      findCoordinatorRequest(kind, key),
      (payload) => decodeFindCoordinator(payload, doing),
      { doing, widely },
    );
    this.#learn(node);
    return node.nodeId;
  }

  /** The controller, for topic administration. @throws Retriable, Fatal. */
  async controller(): Promise<number> {
    const { controllerId, nodes } = await this.refresh([]);
    if (nodes.some(({ nodeId }) => nodeId === controllerId)) return controllerId;
    throw new Retriable('the cluster names no controller at the moment');
  }

  /** Rejects what is under way with Retriable. Idempotent. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#processAlive);
    for (const link of this.#links.values()) link.close();
    this.#links.clear();
  }

  #learn({ nodeId, host, port }: NodeAddress): void {
    this.#nodes.set(nodeId, { host, port });
  }

  #link(address: BrokerAddress): BrokerLink {
    if (this.#closed) throw new Retriable(`closed the connection to ${formatAddress(address)}`);
    const key = formatAddress(address);
    const existing = this.#links.get(key);
    if (existing !== undefined) return existing;
    const link = new BrokerLink(address, this.#options, this.#logger);
    this.#links.set(key, link);
    return link;
  }

  /** Links in the order to ask them: the most failures last, each address once (KC3). */
  #candidates(widely: boolean): BrokerLink[] {
    const links = [...new Set([...this.#nodes.values(), ...this.#bootstrap].map((address) => this.#link(address)))];
    const wantsMore = widely && links.filter((link) => link.connected).length < 2;
    const best = (link: BrokerLink): boolean => link.connected || (wantsMore && link.failures === 0);
    const rank = (link: BrokerLink): number => (best(link) ? -1 : link.failures);
    const asked = (link: BrokerLink): number => (widely ? (this.#lastAsked.get(link.address) ?? 0) : 0);
    return links.sort((a, b) => rank(a) - rank(b) || asked(a) - asked(b));
  }

  /** Closes links to addresses that are neither a node's nor a bootstrap address any more. */
  #dropStrangers(): void {
    const kept = new Set([...this.#nodes.values(), ...this.#bootstrap].map(formatAddress));
    for (const [key, link] of this.#links) {
      if (kept.has(key)) continue;
      link.close();
      this.#links.delete(key);
      this.#lastAsked.delete(key);
    }
  }

  #whyLeaderless({ topic, partition }: TopicPartition): number {
    const known = this.#topics.get(topic);
    if (known === undefined || known.errorCode !== KafkaCode.none)
      return known?.errorCode ?? KafkaCode.unknownTopicOrPartition;
    const found = known.partitions[partition];
    if (found === undefined) return KafkaCode.unknownTopicOrPartition;
    return found.errorCode === KafkaCode.none ? KafkaCode.leaderNotAvailable : found.errorCode;
  }
}

/** KC1: the answer, but for leaders of which a later epoch is known already. */
function newerOf(known: TopicMetadata | undefined, answered: TopicMetadata): TopicMetadata {
  if (known === undefined || known.topicId !== answered.topicId || answered.errorCode !== KafkaCode.none)
    return answered;
  const partitions = answered.partitions.map((partition) => {
    const before = known.partitions[partition.partition];
    return before !== undefined && partition.leaderEpoch >= 0 && before.leaderEpoch > partition.leaderEpoch
      ? before
      : partition;
  });
  return { ...answered, partitions };
}
