// Reads partitions of any number of topics from their leaders, over connections of its own.
//
// Owns: the subscriptions, one or two fetches under way per leader.
// Does not own: where each subscription stands (PartitionSubscription), who leads (LeaderSearch), connections (KafkaConnection).
//
// Invariants
//   LR1  A partition with room in its buffer is named by a fetch under way, or waits for one for at most shortPollMs, or
//        waits for something that its `obstacle` names.
//   LR2  The next fetch is sent before listeners hear of the answer: processing and fetching overlap.
//   LR3  A subscription's fetch offset is moved by answers only; errors move nothing.
import { type Clock, type DurationMs, Retriable, type ReusedMemory } from '@flatline/base';
import type { LogReader, LogSubscription, TopicPartition } from '@flatline/ports';
import { type KafkaConnection, openCluster } from '../connection/kafka-connection.ts';
import { KafkaCode } from '../connection/kafka-error-codes.ts';
import type { KafkaOptions } from '../connection/kafka-options.ts';
import { fetchOf } from './fetch-of.ts';
import type { FetchAnswer, FetchedPartition } from './fetch-exchange.ts';
import { type LaneState, type PlannedFetch, planFetches } from './fetch-plan.ts';
import { LeaderSearch } from './leader-search.ts';
import { PartitionSubscription, type SubscriptionOwner } from './partition-subscription.ts';
import { SharedAnswer } from './shared-answer.ts';
import { ReaderBuffers } from './reader-buffers.ts';
import { READER_LIMITS, type ReaderLimits } from './reader-limits.ts';

export interface ReaderOptions extends KafkaOptions {
  /** Memory of a fetch is overwritten once its records are used up, instead of being left to the garbage collector. */
  readonly reusesAnswers?: boolean;
  /** Batches that cannot be unpacked are shown for what they are (`RecordCursor.unreadable`) instead of ending the reading. */
  readonly passesUnreadable?: boolean;
  /** Buffers of the process, where it has several such readers. Default: its own. */
  readonly buffers?: ReaderBuffers;
}

interface Sent extends FetchedPartition {
  readonly topicId: string | undefined;
  readonly subscription: PartitionSubscription;
}

export class KafkaLogReader implements LogReader, SubscriptionOwner {
  readonly clock: Clock;
  readonly passesUnreadable: boolean;
  readonly #buffers: ReaderBuffers;
  readonly #memory: ReusedMemory | undefined;
  readonly #connection: KafkaConnection;
  readonly #limits: ReaderLimits;
  readonly #subscriptions = new Set<PartitionSubscription>();
  readonly #search: LeaderSearch;
  readonly #lanes = new Map<number, LaneState>();
  readonly #changed = new Set<PartitionSubscription>();
  #announcement: NodeJS.Immediate | undefined;
  #turn = 0;
  #closed = false;

  /** Connects when first needed. `limits` replaces single bounds. @throws Fatal where an address is malformed. */
  constructor({ buffers = new ReaderBuffers(), ...options }: ReaderOptions, limits: Partial<ReaderLimits> = {}) {
    this.clock = options.clock;
    this.passesUnreadable = options.passesUnreadable ?? false;
    this.#buffers = buffers;
    if (options.reusesAnswers === true) this.#memory = buffers.memory;
    this.#connection = openCluster({ ...options, ...(this.#memory && { answerMemory: this.#memory }) });
    this.#limits = { ...READER_LIMITS, ...limits };
    this.#search = new LeaderSearch(this.#connection, this.#subscriptions, {
      clock: options.clock,
      ...this.#limits,
      found: () => {
        this.pump();
      },
    });
    buffers.join(this);
  }

  subscribe(partition: TopicPartition, offset: number, readEpoch?: number, topicId?: string): LogSubscription {
    const subscription = new PartitionSubscription(partition, offset, this, readEpoch, topicId);
    if (this.#closed) {
      subscription.fail(new Retriable(`cannot read ${subscription.name}: the reader is closed`));
      return subscription;
    }
    this.#subscriptions.add(subscription);
    this.#search.schedule();
    return subscription;
  }

  close(): Promise<void> {
    this.#closed = true;
    for (const subscription of [...this.#subscriptions]) subscription.close();
    this.#search.close();
    this.#buffers.leave(this);
    clearImmediate(this.#announcement);
    this.#connection.close();
    return Promise.resolve();
  }

  changed(subscription: PartitionSubscription): void {
    this.#changed.add(subscription);
    // After LR2: the requests sent in this turn are written before immediates run.
    this.#announcement ??= setImmediate(() => {
      this.#announcement = undefined;
      const changed = [...this.#changed];
      this.#changed.clear();
      for (const one of changed) one.announce();
    });
  }

  closed(subscription: PartitionSubscription): void {
    this.#subscriptions.delete(subscription);
  }

  doubted(): void {
    this.#search.doubted();
  }

  pump(): void {
    if (this.#closed) return;
    for (const [nodeId, idle] of this.#idleByLeader()) {
      const lanes = this.#lanes.get(nodeId) ?? { waiting: 'free', prompt: 'free' };
      for (const planned of planFetches(idle, lanes, this.#limits)) this.#fetch(nodeId, planned);
    }
  }

  #idleByLeader(): Map<number, PartitionSubscription[]> {
    const byLeader = new Map<number, PartitionSubscription[]>();
    const full = !this.#buffers.hasRoom(this, this.#limits.readerBufferBytes);
    const named = new Set<string>();
    for (const subscription of this.#subscriptions) {
      const { state } = subscription;
      if (state.kind !== 'fetching' || !subscription.isIdle || !this.#hasRoom(subscription, full)) continue;
      // A request may name a partition once; a second reader of it has its turn in the next.
      if (named.has(subscription.name)) continue;
      named.add(subscription.name);
      const idle = byLeader.get(state.leader.nodeId);
      if (idle === undefined) byLeader.set(state.leader.nodeId, [subscription]);
      else idle.push(subscription);
    }
    return byLeader;
  }

  #hasRoom({ bufferedBytes }: PartitionSubscription, full: boolean): boolean {
    if (bufferedBytes === 0) return true;
    return !full && bufferedBytes + this.#limits.partitionFetchBytes <= this.#limits.partitionBufferBytes;
  }

  /** Fetched and not yet taken. */
  get bufferedBytes(): number {
    let bytes = 0;
    for (const subscription of this.#subscriptions) bytes += subscription.bufferedBytes;
    return bytes;
  }

  #fetch(nodeId: number, { lane, waitMs, partitions }: PlannedFetch<PartitionSubscription>): void {
    const flight = {};
    const sent = partitions.map((subscription) => this.#sentFor(subscription, flight));
    const { fetchBytes, partitionFetchBytes, fetchTimeoutMs } = this.#limits;
    const askedAtMs = this.clock.monotonicMs();
    this.#markLane(nodeId, lane, waitMs);
    const { request, decode } = fetchOf(sent, { waitMs, fetchBytes, partitionFetchBytes });
    const doing = `fetch from node ${nodeId}`;
    this.#connection
      .send(nodeId, request, decode, { lane, timeoutMs: fetchTimeoutMs + waitMs, doing })
      .then(
        (answer) => {
          this.#apply(answer, this.#landed(nodeId, lane, { sent, flight }), askedAtMs);
        },
        (error: unknown) => {
          const waiting = this.#landed(nodeId, lane, { sent, flight });
          this.#search.unreachable(
            error,
            waiting.map(({ subscription }) => subscription),
          );
        },
      )
      .finally(() => {
        this.pump();
      });
  }

  #sentFor(subscription: PartitionSubscription, flight: object): Sent {
    const { state, partition, fetchOffset, topicId } = subscription;
    subscription.sent(flight);
    // To the end of the order: of two that read one partition, the other is next.
    this.#subscriptions.delete(subscription);
    this.#subscriptions.add(subscription);
    return {
      subscription,
      partition,
      topicId,
      offset: fetchOffset,
      leaderEpoch: state.kind === 'fetching' ? state.leader.leaderEpoch : -1,
    };
  }

  #markLane(nodeId: number, lane: 'waiting' | 'prompt', waitMs: DurationMs): void {
    const lanes = this.#lanes.get(nodeId) ?? { waiting: 'free', prompt: 'free' };
    const long = waitMs > this.#limits.shortPollMs;
    this.#lanes.set(
      nodeId,
      lane === 'waiting'
        ? { ...lanes, waiting: long ? 'poll' : 'shortPoll' }
        : { ...lanes, prompt: waitMs === 0 ? 'behind' : 'shortPoll' },
    );
  }

  /** The fetch is over: frees its lane. Returns those for which it still counts (PS3). */
  #landed(
    nodeId: number,
    lane: 'waiting' | 'prompt',
    { sent, flight }: { readonly sent: readonly Sent[]; readonly flight: object },
  ): readonly Sent[] {
    const lanes = this.#lanes.get(nodeId)!;
    this.#lanes.set(nodeId, lane === 'waiting' ? { ...lanes, waiting: 'free' } : { ...lanes, prompt: 'free' });
    return sent.filter(({ subscription }) => subscription.landed(flight));
  }

  #apply({ payload, partitions }: FetchAnswer, sent: readonly Sent[], askedAtMs: DurationMs): void {
    const byName = new Map(sent.map(({ subscription }) => [subscription.name, subscription]));
    const shared = new SharedAnswer(payload, this.#memory);
    for (const answer of partitions) {
      const name = `${answer.topic}-${answer.partition}`;
      const subscription = byName.get(name);
      byName.delete(name);
      if (subscription === undefined || subscription.ended) continue;
      if (answer.errorCode === KafkaCode.none) {
        if (answer.end > answer.start) subscription.servedTurn = this.#turn += 1;
        subscription.accept(answer, shared, askedAtMs);
      } else this.#search.refused(subscription, answer.errorCode);
    }
    shared.handedOut();
    if (byName.size > 0) this.#search.unreachable(new Retriable('left out of the answer'), [...byName.values()]);
  }
}
