// One partition being read: where its next fetch begins, what was fetched and not yet taken, and what it waits for.
//
// Owns: the fetch position, the records fetched and not taken, the newest ends, the state (reading-state.ts has its picture and table).
// Does not own: requests (KafkaLogReader), the place in them (BatchCursor).
//
// Invariants
//   PS1  What is fetched is consecutive: each part begins at the nextOffset of the one before.
//   PS2  A failure is final and an out-of-range answer never moves the position (kafkajs 8).
//   PS3  At most one fetch under way counts for this subscription; the answer of a leader that was left meanwhile does not.
//   PS4  It asks no leader of an older epoch than it knows of, or has read a batch of.
//   PS5  A leader of a later epoch is fetched from only once its log is known to hold the batch before the position.
import { type Clock, type DurationMs, MalformedBytes, PartitionStopped } from '@flatline/base';
import type { LogEnds, LogSubscription, ReadObstacle, FetchedRecords, TopicPartition } from '@flatline/ports';
import { BackOff, type BackOffLimits } from '@flatline/system';
import type { EpochEnd } from '../connection/epoch-end.ts';
import type { Leader } from '../connection/kafka-connection.ts';
import { givenId } from '../connection/topic-id.ts';
import { BatchCursor } from '../record-batch/batch-cursor.ts';
import { scanBatches } from '../record-batch/batch-scan.ts';
import type { PartitionAnswer } from './fetch-exchange.ts';
import { afterEvent, type LogRange, type ReadingEvent, type ReadingState } from './reading-state.ts';
import type { SharedAnswer } from './shared-answer.ts';

/** Between attempts to find or reach a leader. */
const LOCATE_BACK_OFF: BackOffLimits = { firstMs: 20, mostMs: 1_000 };

/** Records that are a smaller part of its answer than this are copied out: what waits pins at most ten times as much as itself. */
const PINNED_SHARE_MIN = 0.1;

export interface SubscriptionOwner {
  readonly clock: Clock;
  readonly passesUnreadable: boolean;
  /** Room was freed: the leader may be asked for more. */
  pump(): void;
  /** The listener is due, once the next fetch is on its way. */
  changed(subscription: PartitionSubscription): void;
  closed(subscription: PartitionSubscription): void;
  /** Several nodes are to be asked soon who leads. */
  doubted(): void;
}

export class PartitionSubscription implements LogSubscription {
  readonly partition: TopicPartition;
  readonly name: string;
  readonly #owner: SubscriptionOwner;
  readonly #backOff = new BackOff(LOCATE_BACK_OFF);
  readonly #fetched: FetchedRecords[] = [];
  #fetchOffset: number;
  #bufferedBytes = 0;
  #ends: LogEnds | undefined;
  #listener: (() => void) | undefined;
  #state: ReadingState = { kind: 'locating', notBeforeMs: 0, doubt: undefined, unknownSinceMs: undefined };
  #obstacle: ReadObstacle | undefined;
  #topicId: string | undefined;
  /** The newest that is known. */
  #leaderEpoch = -1;
  /** Epoch in which the batch before the fetch position was written; −1 if unknown. */
  #readEpoch: number;
  /** The latest whose leader is known to hold that batch. */
  #agreedEpoch: number;
  /** Presumed until an answer reaches the end. */
  behind = true;
  servedTurn = 0;

  /**
   * `readEpoch`: leader epoch of the batch before `offset`, negative where that is not known. `topicId`: undefined: as metadata name
   * it first.
   */
  constructor(partition: TopicPartition, offset: number, owner: SubscriptionOwner, readEpoch = -1, topicId?: string) {
    this.partition = partition;
    this.name = `${partition.topic}-${partition.partition}`;
    this.#fetchOffset = offset;
    this.#readEpoch = readEpoch;
    this.#agreedEpoch = readEpoch;
    this.#topicId = givenId(topicId);
    this.#owner = owner;
    this.#waitFor('its leader');
  }

  get state(): ReadingState {
    return this.#state;
  }

  get ended(): boolean {
    return this.#state.kind === 'failed' || this.#state.kind === 'closed';
  }

  get ends(): LogEnds | undefined {
    return this.#ends;
  }

  get failure(): Error | undefined {
    return 'failure' in this.#state ? this.#state.failure : undefined;
  }

  get obstacle(): ReadObstacle | undefined {
    return this.#obstacle;
  }

  /** Searches for a leader since one last answered. */
  get searches(): number {
    return this.#backOff.failures;
  }

  /** True while it looks for a leader because the last one called its position out of range. */
  get isRangeDoubted(): boolean {
    return this.#state.kind === 'locating' && this.#state.doubt !== undefined;
  }

  get isIdle(): boolean {
    return this.#state.kind === 'fetching' && this.#state.flight === undefined;
  }

  /** Id of the topic that is read: another one under its name is never read instead. undefined: not named yet. */
  get topicId(): string | undefined {
    return this.#topicId;
  }

  get fetchOffset(): number {
    return this.#fetchOffset;
  }

  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  take(): FetchedRecords | undefined {
    const next = this.#fetched.shift();
    if (next === undefined) return undefined;
    this.#bufferedBytes -= next.byteLength;
    this.#owner.pump();
    return next;
  }

  onChange(listener: (() => void) | undefined): void {
    this.#listener = listener;
  }

  close(): void {
    if (this.#state.kind === 'closed') return;
    this.#happened({ kind: 'close' });
    this.#obstacle = undefined;
    this.#fetched.length = 0;
    this.#bufferedBytes = 0;
    this.#owner.closed(this);
  }

  lookAgain(): void {
    if (!this.ended) this.#owner.doubted();
  }

  /** Tells the listener, if there still is one. */
  announce(): void {
    if (this.#state.kind !== 'closed') this.#listener?.();
  }

  /** A fetch is on its way to the leader. */
  sent(flight: object): void {
    this.#happened({ kind: 'sent', flight });
  }

  /** Ends that fetch. True if its answer counts (PS3). */
  landed(flight: object): boolean {
    const counts = this.#state.kind === 'fetching' && this.#state.flight === flight;
    this.#happened({ kind: 'landed', flight });
    return counts;
  }

  /** Takes in what the leader answered without an error. */
  accept(answer: PartitionAnswer, shared: SharedAnswer, askedAtMs: DurationMs): void {
    const { highWatermark, lastStableOffset, logStartOffset } = answer;
    this.#ends = { highWatermark, lastStableOffset, logStartOffset, askedAtMs };
    this.#backOff.reset();
    this.#obstacle = undefined;
    this.#happened({ kind: 'answered' });
    try {
      this.#buffer(answer, shared);
    } catch (error) {
      if (!(error instanceof MalformedBytes)) throw error;
      this.fail(
        new PartitionStopped(
          `${this.name}: cannot be read from offset ${this.#fetchOffset} on: ${error.message}`,
          error,
        ),
      );
    }
    this.#owner.changed(this);
  }

  #buffer({ start, end, aborted, lastStableOffset }: PartitionAnswer, shared: SharedAnswer): void {
    const { payload } = shared;
    const askedOffset = this.#fetchOffset;
    const scan = scanBatches(payload, start, end, askedOffset);
    const byteLength = scan.end - start;
    this.behind = byteLength > 0 && scan.nextOffset < lastStableOffset;
    if (byteLength === 0) return;
    const pins = byteLength >= payload.length * PINNED_SHARE_MIN;
    const bytes = pins ? payload : Buffer.from(payload.subarray(start, scan.end));
    const at = pins ? start : 0;
    const { nextOffset } = scan;
    const source = this.partition;
    const cursor = new BatchCursor({
      source,
      bytes,
      start: at,
      end: at + byteLength,
      askedOffset,
      nextOffset,
      aborted,
      passesUnreadable: this.#owner.passesUnreadable,
      onUsedUp: pins ? shared.hold() : undefined,
    });
    this.#fetched.push({ cursor, nextOffset, byteLength, receivedAtMs: this.#owner.clock.monotonicMs() });
    this.#bufferedBytes += byteLength;
    this.#fetchOffset = nextOffset;
    this.#readEpoch = scan.leaderEpoch;
    this.#agreedEpoch = this.#leaderEpoch;
  }

  /** Metadata named the topic's id: another one than before is another topic, unless none was given (a cluster being upgraded). */
  topicIs(named: string): void {
    const topicId = givenId(named);
    this.#topicId ??= topicId;
    if (topicId !== undefined && this.#topicId !== topicId) this.fail(this.#recreated());
  }

  /**
   * Metadata named the leader: fetches go there, or first the question about its range. One of an older epoch than is known
   * was deposed, and a node that does not know it yet said so: what it holds may end before our position (KIP-320).
   */
  located(leader: Leader): void {
    const knownEpoch = Math.max(this.#leaderEpoch, this.#readEpoch);
    if (leader.leaderEpoch < knownEpoch) {
      this.#waitFor(`its leader: node ${leader.nodeId} was it in epoch ${leader.leaderEpoch}, now it is ${knownEpoch}`);
      this.#happened({ kind: 'deposed', notBeforeMs: this.#retryAtMs() });
      return;
    }
    this.#leaderEpoch = leader.leaderEpoch;
    const isNew = this.#readEpoch >= 0 && leader.leaderEpoch > this.#agreedEpoch;
    this.#happened({ kind: 'led', leader, readEpoch: isNew ? this.#readEpoch : undefined });
  }

  /** Metadata, asked for independently of the fetches: a leader of a later epoch takes the place of one that may still answer. */
  named(leader: Leader): void {
    const { state } = this;
    if (!('leader' in state) || leader.leaderEpoch <= state.leader.leaderEpoch) return;
    this.located(leader);
  }

  /** True if this is still the leader that it asks. */
  asks(leader: Leader): boolean {
    return 'leader' in this.#state && this.#state.leader === leader;
  }

  /** The leader's answer to where its log leaves the epoch of what was read (KIP-320). */
  comparedWith(leader: Leader, { leaderEpoch, endOffset }: EpochEnd): void {
    if (this.#state.kind !== 'comparing' || !this.asks(leader)) return;
    if (leaderEpoch === this.#readEpoch && endOffset >= this.#fetchOffset) {
      this.#agreedEpoch = leader.leaderEpoch;
      this.#happened({ kind: 'agreed' });
      return;
    }
    // The buffered records come from the log that was lost: they must not be applied.
    this.#fetched.length = 0;
    this.#bufferedBytes = 0;
    this.fail(this.#diverged(leader, { leaderEpoch, endOffset }));
  }

  /** Looks for the leader again, later each time until a fetch is answered. */
  relocate(why: string): void {
    if (this.ended) return;
    this.#waitFor(why);
    this.#happened({ kind: 'leaderLost', notBeforeMs: this.#retryAtMs() });
  }

  /** Metadata has no such topic or partition: not yet, not everywhere, or no longer. */
  unknown(why: string, limitMs: DurationMs): void {
    const nowMs = this.#owner.clock.monotonicMs();
    this.#happened({ kind: 'unknown', nowMs, notBeforeMs: this.#retryAtMs() });
    if (this.#state.kind !== 'locating') return;
    if (nowMs - (this.#state.unknownSinceMs ?? nowMs) < limitMs) {
      this.#waitFor(why);
      return;
    }
    const remedy = 'create it (npx flatline topics create), restore it, or correct the configuration';
    this.fail(
      new PartitionStopped(
        `${this.name}: ${why}, for ${limitMs} ms, at offset ${this.#fetchOffset}; ${remedy}`,
        undefined,
        { isMendable: true },
      ),
    );
  }

  /** A leader called the position out of range: final only after metadata and the leader's own range agree (R3). */
  outOfRange(): void {
    if (this.#state.kind === 'fetching' && this.#state.outside !== undefined) {
      this.fail(this.#lost(this.#state.outside));
      return;
    }
    this.#waitFor(`an answer to whether offset ${this.#fetchOffset} is out of range`);
    this.#happened({ kind: 'outOfRange', notBeforeMs: this.#retryAtMs() });
  }

  /** The newest leader's range, asked after `outOfRange`; the next fetch decides. */
  rangeIs(range: LogRange): void {
    this.#happened({ kind: 'ranged', range, position: this.#fetchOffset });
  }

  fail(error: Error): void {
    if (this.ended) return;
    // The buffered records are sound and may still be taken.
    this.#happened({ kind: 'fail', failure: error });
    this.#obstacle = undefined;
    this.#owner.changed(this);
  }

  #happened(event: ReadingEvent): void {
    this.#state = afterEvent(this.#state, event);
  }

  #retryAtMs(): DurationMs {
    return this.#owner.clock.monotonicMs() + this.#backOff.nextDelayMs();
  }

  #waitFor(what: string): void {
    this.#obstacle = { what, sinceMs: this.#obstacle?.sinceMs ?? this.#owner.clock.monotonicMs() };
  }

  #lost({ start, end }: LogRange): PartitionStopped {
    const offset = this.#fetchOffset;
    const side = offset < start ? 'the records up to there were deleted' : 'the log was cut back, or recreated';
    return new PartitionStopped(
      `${this.name}: offset ${offset} is outside the log, which holds ${start} to ${end} (${side}); nothing is skipped. ` +
        'Restore the log from a replica or a backup, or accept the loss by starting over with an application of another name',
    );
  }

  #diverged(leader: Leader, { leaderEpoch, endOffset }: EpochEnd): PartitionStopped {
    const found =
      leaderEpoch === this.#readEpoch ? `ends at ${endOffset}` : `is not there: it goes up to epoch ${leaderEpoch}`;
    return new PartitionStopped(
      `${this.name}: it was read up to offset ${this.#fetchOffset}, and in the log of the new leader (node ` +
        `${leader.nodeId}, epoch ${leader.leaderEpoch}) leader epoch ${this.#readEpoch} ${found}. Acknowledged records ` +
        'were lost or replaced, as by an unclean election; nothing is skipped. A node that led before cuts its copy back ' +
        'when it rejoins: save that copy first. Started again, the partition goes on if nothing of what was lost had been ' +
        'committed, and stops again if it had',
    );
  }

  #recreated(): PartitionStopped {
    return new PartitionStopped(
      `${this.name}: topic ${this.partition.topic} was deleted and created again while it was read at offset ` +
        `${this.#fetchOffset}, so its offsets mean other records now. Restore the topic, or start over with an application of another name`,
    );
  }
}
