// Finds the leaders of a reader's subscriptions, again after a refusal, and decides what a refusal means.
//
// Owns: the one metadata request under way, the timer to the next.
// Does not own: the subscriptions and their back-off (each its own), fetching.
//
// Invariants
//   LF1  A subscription that is locating gets its turn when its back-off is over, until it is closed.
//   LF2  One metadata request is under way at most, for all subscriptions that are due.
//   LF3  Every topic's id and leaders are asked for at least once per metadataAgeMs, each time from another node: a topic
//        recreated under its old name, and a leader that was deposed and still answers, are noticed even by a subscription
//        that fetches nothing, or gets answers without an error.
import { type Cancel, type Clock, counted, type DurationMs, PartitionStopped, Retriable } from '@flatline/base';
import { errorOfCode } from '../connection/foreign-errors.ts';
import { KafkaCode, kafkaErrorCode } from '../connection/kafka-error-codes.ts';
import type { KafkaConnection, Leader } from '../connection/kafka-connection.ts';
import { epochEnd } from '../connection/epoch-end.ts';
import { listOffset } from '../connection/list-offsets.ts';
import type { TopicMetadata } from '../connection/metadata.ts';
import { fetchReaction } from './fetch-reaction.ts';
import type { PartitionSubscription } from './partition-subscription.ts';

export interface LeaderSearchOptions {
  readonly clock: Clock;
  /** How long a topic may be unknown to the brokers before its partitions stop. */
  readonly topicMissingMs: DurationMs;
  readonly metadataAgeMs: DurationMs;
  readonly doubtMs: DurationMs;
  readonly doubtQuestions: number;
  /** Called when a subscription may be fetched. */
  readonly found: () => void;
}

export class LeaderSearch {
  readonly #connection: KafkaConnection;
  readonly #subscriptions: ReadonlySet<PartitionSubscription>;
  readonly #options: LeaderSearchOptions;
  #searching = false;
  #allSeenAtMs: DurationMs;
  /** Questions still to be asked because a leader is in doubt. */
  #doubts = 0;
  #cancel: Cancel | undefined;
  #closed = false;

  constructor(
    connection: KafkaConnection,
    subscriptions: ReadonlySet<PartitionSubscription>,
    options: LeaderSearchOptions,
  ) {
    this.#connection = connection;
    this.#subscriptions = subscriptions;
    this.#options = options;
    this.#allSeenAtMs = options.clock.monotonicMs();
  }

  close(): void {
    this.#closed = true;
    this.#cancel?.();
  }

  /** A leader that answers may still be deposed: asks several nodes soon. */
  doubted(): void {
    this.#doubts = this.#options.doubtQuestions;
    this.schedule();
  }

  /** Sets the timer for the subscription that is due first. */
  schedule(): void {
    if (this.#searching || this.#closed) return;
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#subscriptions.size === 0) return;
    let earliestMs = this.#allDueAtMs;
    for (const { state } of this.#subscriptions)
      if (state.kind === 'locating') earliestMs = Math.min(earliestMs, state.notBeforeMs);
    const waitMs = Math.max(0, Math.ceil(earliestMs - this.#options.clock.monotonicMs()));
    this.#cancel = this.#options.clock.after(waitMs, () => {
      void this.#search();
    });
  }

  /** A leader answered a fetch of this partition with an error. */
  refused(subscription: PartitionSubscription, code: number): void {
    const error = errorOfCode(code, `read ${subscription.name} from offset ${subscription.fetchOffset} on`);
    switch (fetchReaction(code)) {
      case 'doubtRange':
        subscription.outOfRange();
        break;
      case 'stop':
        subscription.fail(error instanceof PartitionStopped ? error : new PartitionStopped(error.message, error.cause));
        break;
      case 'fail':
        subscription.fail(error);
        break;
      default:
        subscription.relocate(`its leader (${kafkaErrorCode(code).name})`);
    }
    this.schedule();
  }

  /** A request that named these subscriptions got no answer. */
  unreachable(error: unknown, subscriptions: readonly PartitionSubscription[]): void {
    for (const subscription of subscriptions) this.#failed(subscription, error, 'its leader');
    this.schedule();
  }

  async #search(): Promise<void> {
    const due = this.#due(this.#options.clock.monotonicMs());
    if (due.subscriptions.length > 0) {
      this.#searching = true;
      await this.#look(due.subscriptions, due.widely);
      this.#searching = false;
    }
    this.schedule();
  }

  get #allDueAtMs(): DurationMs {
    const { metadataAgeMs, doubtMs } = this.#options;
    return this.#allSeenAtMs + (this.#doubts > 0 ? doubtMs : metadataAgeMs);
  }

  #due(now: DurationMs): { readonly subscriptions: readonly PartitionSubscription[]; readonly widely: boolean } {
    const living = [...this.#subscriptions].filter(({ ended }) => !ended);
    if (now >= this.#allDueAtMs) {
      this.#allSeenAtMs = now;
      this.#doubts = Math.max(0, this.#doubts - 1);
      return { subscriptions: living, widely: true };
    }
    const lost = living.filter(({ state }) => state.kind === 'locating' && state.notBeforeMs <= now);
    // The named leader did not answer, or calls our position out of range: the node that named it may be out of date.
    return { subscriptions: lost, widely: lost.some(({ searches, isRangeDoubted }) => searches > 1 || isRangeDoubted) };
  }

  async #look(due: readonly PartitionSubscription[], widely: boolean): Promise<void> {
    try {
      const asked = [...new Set(due.map(({ partition }) => partition.topic))];
      const { topics } = await this.#connection.refresh(asked, { widely });
      const byName = new Map(topics.map((topic) => [topic.topic, topic]));
      for (const subscription of due) this.#seen(subscription, byName.get(subscription.partition.topic));
    } catch (error) {
      for (const subscription of due)
        if (subscription.state.kind === 'locating') this.#failed(subscription, error, 'the metadata');
    }
  }

  #seen(subscription: PartitionSubscription, topic: TopicMetadata | undefined): void {
    if (topic?.errorCode === KafkaCode.none) subscription.topicIs(topic.topicId);
    if (subscription.state.kind === 'locating') this.#locate(subscription, topic);
    else if (!subscription.ended) this.#named(subscription);
  }

  #named(subscription: PartitionSubscription): void {
    const leader = this.#connection.knownLeader(subscription.partition);
    const before = subscription.state;
    if (leader !== undefined) subscription.named(leader);
    if (subscription.state !== before) this.#goOn(subscription);
  }

  #locate(subscription: PartitionSubscription, topic: TopicMetadata | undefined): void {
    const { partition } = subscription;
    const code = topic?.errorCode ?? KafkaCode.unknownTopicOrPartition;
    if (topic === undefined || code === KafkaCode.unknownTopicOrPartition)
      subscription.unknown(`topic ${partition.topic} does not exist`, this.#options.topicMissingMs);
    else if (code !== KafkaCode.none) this.refused(subscription, code);
    else if (partition.partition >= topic.partitions.length)
      subscription.unknown(
        `topic ${partition.topic} has only ${counted(topic.partitions.length, 'partition')}`,
        this.#options.topicMissingMs,
      );
    else this.#located(subscription, this.#connection.knownLeader(partition));
  }

  #located(subscription: PartitionSubscription, leader: Leader | undefined): void {
    if (leader === undefined) {
      subscription.relocate('the election of a leader');
      return;
    }
    subscription.located(leader);
    this.#goOn(subscription);
  }

  #goOn(subscription: PartitionSubscription): void {
    const { state } = subscription;
    if (state.kind === 'comparing') void this.#compare(subscription, state.leader, state.readEpoch);
    else if (state.kind === 'confirming') void this.#confirmRange(subscription, state.leader);
    else if (state.kind === 'fetching') this.#options.found();
  }

  async #compare(subscription: PartitionSubscription, leader: Leader, readEpoch: number): Promise<void> {
    try {
      subscription.comparedWith(leader, await epochEnd(this.#connection, subscription.partition, leader, readEpoch));
      this.#goOn(subscription);
    } catch (error) {
      if (!subscription.asks(leader)) return;
      this.#failed(subscription, error, "a comparison with its leader's log");
      this.schedule();
    }
  }

  async #confirmRange(subscription: PartitionSubscription, leader: Leader): Promise<void> {
    try {
      const start = await listOffset(this.#connection, subscription.partition, leader, 'start');
      const end = await listOffset(this.#connection, subscription.partition, leader, 'end');
      if (!subscription.asks(leader)) return;
      subscription.rangeIs({ start, end });
      this.#options.found();
    } catch (error) {
      if (!subscription.asks(leader)) return;
      this.#failed(subscription, error, "its log's range");
      this.schedule();
    }
  }

  #failed(subscription: PartitionSubscription, error: unknown, wanted: string): void {
    if (error instanceof Retriable) subscription.relocate(`${wanted} (${error.message})`);
    else subscription.fail(error instanceof Error ? error : new Error(String(error)));
  }
}
