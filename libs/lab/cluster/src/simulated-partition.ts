// One partition of the simulated log, from its leader's point of view.
//
//   logStart ≤ lastStableOffset ≤ highWatermark ≤ replicated ≤ logEnd
//
// The high watermark is the end of replication that this leader knows: after an election it lags behind the true one.
//
// Owns: batches, producer states, open transactions, replication, leadership.
// Does not own: transactions across partitions (TransactionCoordinator), readers.
//
// Invariants
//   SL1  A batch is acknowledged only once the high watermark has passed it; replicated batches survive a change of leader.
//   SL2  lastStableOffset never passes the first record of a transaction whose marker is not below the high watermark.
//   SL3  Only the greatest epoch of a producer appends, and only its next sequence (a repeated one is answered as before).
import { assert, type Cancel, type DurationMs, MESSAGE_BYTES_MAX, type Millis } from '@flatline/base';
import type { OpenTransaction } from '@flatline/ports';
import type { FaultPlan } from './fault-plan.ts';
import { batchBytes, batchChecksum, unreadableBatch, toLogRecord, type LogBatch, type LogRecord } from './log-batch.ts';
import type {
  AppendOutcome,
  AppendRequest,
  EpochEnd,
  LeaderChange,
  PartitionEnds,
  TimestampType,
  Truncation,
} from './partition-requests.ts';
import { TransactionIndex } from './transaction-index.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The view that a deposed leader still gives to clients unaware of its successor. */
interface DeposedView {
  readonly leaderEpoch: number;
  readonly until: DurationMs;
  /** Until then clients that ask for its end do not look for another leader. */
  readonly believedUntil: DurationMs;
  readonly ends: PartitionEnds;
}

interface PendingAck {
  readonly end: number;
  readonly done: (outcome: AppendOutcome) => void;
  readonly acked: AppendOutcome;
}

export interface PartitionEnvironment {
  readonly time: VirtualTime;
  readonly faults: FaultPlan;
  /** True time, in milliseconds since the epoch. */
  readonly trueMs: () => Millis;
}

const ELECTION_LAG_BATCHES_MAX = 3;
/** A client that only asks for ends looks for the leader at least this often. */
export const LEADER_AGE_MAX_MS: DurationMs = 10_000;

export class SimulatedPartition {
  #timestampType: TimestampType;
  #maxMessageBytes: number;
  readonly #environment: PartitionEnvironment;
  readonly #transactions = new TransactionIndex();
  readonly #listeners = new Set<() => void>();
  readonly #truncations: Truncation[] = [];
  #batches: LogBatch[] = [];
  #logStart = 0;
  #logEnd = 0;
  #highWatermark = 0;
  #replicated = 0;
  #leaderEpoch = 0;
  #skewMs: DurationMs = 0;
  #stalledUntilMs: DurationMs = 0;
  #pending: PendingAck[] = [];
  /** By producer id, the batches of its open transaction. */
  readonly #written = new Map<number, LogBatch[]>();
  #deposed: DeposedView | undefined;

  constructor(
    timestampType: TimestampType,
    environment: PartitionEnvironment,
    maxMessageBytes: number = MESSAGE_BYTES_MAX,
  ) {
    this.#timestampType = timestampType;
    this.#maxMessageBytes = maxMessageBytes;
    this.#environment = environment;
  }

  get timestampType(): TimestampType {
    return this.#timestampType;
  }

  /** Applies a changed `message.timestamp.type`: existing batches stay as they are. */
  alterTimestampType(timestampType: TimestampType): void {
    this.#timestampType = timestampType;
  }

  get maxMessageBytes(): number {
    return this.#maxMessageBytes;
  }

  /** Applies a changed `max.message.bytes`: existing batches stay as they are. */
  alterMaxMessageBytes(maxMessageBytes: number): void {
    this.#maxMessageBytes = maxMessageBytes;
  }

  get logEnd(): number {
    return this.#logEnd;
  }

  get truncations(): readonly Truncation[] {
    return this.#truncations;
  }

  get leaderEpoch(): number {
    return this.#leaderEpoch;
  }

  /** Every batch still present, with aborted and control ones: for checks. */
  get batches(): readonly LogBatch[] {
    return this.#batches;
  }

  ends(): PartitionEnds {
    return {
      logStartOffset: this.#logStart,
      highWatermark: this.#highWatermark,
      // A transaction may be open below the log start.
      lastStableOffset: Math.max(this.#logStart, this.#transactions.lastStableOffset(this.#highWatermark)),
    };
  }

  /** The ends as seen by a client of the leader of `leaderEpoch`, and the epoch of the leader that answered. */
  endsSeenFrom(leaderEpoch: number): { readonly ends: PartitionEnds; readonly leaderEpoch: number } {
    const deposed = this.#deposed;
    const listensToDeposed =
      deposed !== undefined && leaderEpoch <= deposed.leaderEpoch && this.#environment.time.nowMs < deposed.until;
    if (!listensToDeposed) return { ends: this.ends(), leaderEpoch: this.#leaderEpoch };
    this.#environment.faults.count('deposedLeaderAnswers');
    return { ends: deposed.ends, leaderEpoch: deposed.leaderEpoch };
  }

  /**
   * The high watermark at the leader of `leaderEpoch`, or at a deposed one taken for it; undefined while a new leader does not know
   * yet which appends its predecessors acknowledged (KIP-207).
   */
  sureEndSeenFrom(leaderEpoch: number): number | undefined {
    const believes = this.#environment.time.nowMs < (this.#deposed?.believedUntil ?? 0);
    const seen = this.endsSeenFrom(believes ? leaderEpoch : this.#leaderEpoch);
    if (seen.leaderEpoch !== this.#leaderEpoch) return seen.ends.highWatermark;
    return this.#highWatermark < this.#replicated ? undefined : this.#highWatermark;
  }

  /** Appends at the leader now; `done` is called once, later, when the batch is replicated or refused. */
  append(request: AppendRequest, done: (outcome: AppendOutcome) => void): number {
    const baseOffset = this.#logEnd;
    const { producer, marker } = request;
    if (producer !== undefined) {
      const verdict = this.#transactions.admit(producer, marker, request.records.length);
      if (verdict.kind !== 'next') {
        done(verdict.kind === 'duplicate' ? { kind: 'acked', baseOffset: verdict.baseOffset } : verdict);
        return baseOffset;
      }
    }
    const batch = this.#batchOf(request, baseOffset);
    this.#batches.push(batch);
    this.#logEnd = batch.lastOffset + 1;
    this.#transactions.appended(batch);
    this.#noteWritten(batch);
    this.#pending.push({ end: this.#logEnd, done, acked: { kind: 'acked', baseOffset } });
    this.#replicate(this.#logEnd);
    return baseOffset;
  }

  /** Batches from `position` on that end at or below `limit`, whole, at least one if there is any, up to `bytesMax`. */
  read(position: number, limit: number, bytesMax: number): LogBatch[] {
    const found: LogBatch[] = [];
    let bytes = 0;
    for (let at = this.#firstFrom(position); at < this.#batches.length; at += 1) {
      const batch = this.#batches[at]!;
      if (batch.lastOffset >= limit || (found.length > 0 && bytes + batch.byteLength > bytesMax)) break;
      found.push(batch);
      bytes += batch.byteLength;
    }
    return found;
  }

  /** The batch of any kind that contains `offset`; undefined below the log start and from the high watermark on. */
  batchAt(offset: number): LogBatch | undefined {
    if (offset < this.#logStart || offset >= this.#highWatermark) return undefined;
    return this.#batches[this.#firstFrom(offset)];
  }

  /** How far this log agrees with one that was written up to `leaderEpoch` (OffsetForLeaderEpoch). */
  epochEnd(leaderEpoch: number): EpochEnd {
    const own = this.#batches.findLast((batch) => batch.leaderEpoch <= leaderEpoch);
    const next = this.#batches.find((batch) => batch.leaderEpoch > leaderEpoch);
    return { leaderEpoch: own?.leaderEpoch ?? leaderEpoch, endOffset: next?.baseOffset ?? this.#logEnd };
  }

  /** True if a transactional data batch below the last stable offset belongs to an aborted transaction. */
  isAborted(batch: LogBatch): boolean {
    return this.#transactions.isAborted(batch);
  }

  /** Transactions without a marker. */
  openTransactions(): readonly OpenTransaction[] {
    return this.#transactions.open();
  }

  /** Batches that this producer has written in its open transaction. */
  openBatches(producerId: number): LogBatch[] {
    const since = this.#transactions.openSince(producerId);
    if (since === undefined) return [];
    return this.#batches.slice(this.#firstFrom(since)).filter((batch) => batch.producer?.producerId === producerId);
  }

  /** The same, with those that an election has since removed. */
  writtenBatches(producerId: number): readonly LogBatch[] {
    return this.#written.get(producerId) ?? [];
  }

  /** Called whenever the high watermark or the log start has moved, or leadership. */
  onChange(listener: () => void): Cancel {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Stops the followers for this long: the high watermark stands still, nothing is acknowledged, the leader keeps appending. */
  stallReplication(forMs: DurationMs): void {
    this.#stalledUntilMs = this.#environment.time.nowMs + forMs;
    this.#environment.faults.count('replicationStalled');
  }

  /** DeleteRecords: removes everything below `offset`. */
  truncateBelow(offset: number): void {
    assert(offset <= this.#replicated, 'records are deleted only below what is replicated', { offset });
    if (offset <= this.#logStart) return;
    this.#environment.faults.count('truncation');
    this.#truncations.push({ offset, atMs: this.#environment.time.nowMs });
    this.#logStart = offset;
    this.#batches = this.#batches.slice(this.#firstFrom(offset));
    this.#notify();
  }

  /** Removes one record from its batch, as compaction does; the batch keeps its offsets. */
  removeRecord(offset: number): void {
    const at = this.#firstFrom(offset);
    const batch = this.#batches[at];
    assert(batch !== undefined && batch.baseOffset <= offset, 'the record to remove is in the log', { offset });
    this.#batches[at] = { ...batch, records: batch.records.filter((record) => record.offset !== offset) };
  }

  /** A follower becomes leader: unreplicated batches may be lost, from any one on, and earlier appends are never acknowledged. */
  changeLeader(change: LeaderChange = {}): void {
    const { time, faults } = this.#environment;
    const deposedFor = change.deposedForMs ?? 0;
    this.#deposed = {
      leaderEpoch: this.#leaderEpoch,
      until: time.nowMs + deposedFor,
      believedUntil: time.nowMs + LEADER_AGE_MAX_MS,
      ends: this.ends(),
    };
    this.#leaderEpoch += 1;
    this.#skewMs = change.skewMs ?? 0;
    this.#stalledUntilMs = 0;
    this.#cut(change.losesFrom ?? this.#electionCut());
    this.#highWatermark = this.#followersHighWatermark();
    faults.count('leaderChange');
    const unacked = this.#pending;
    this.#pending = [];
    for (const { done } of unacked) done({ kind: 'leaderChanged' });
    this.#replicate(this.#logEnd);
    if (deposedFor > 0 && deposedFor < Infinity)
      time.after(deposedFor, () => {
        this.#notify();
      });
    this.#notify();
  }

  /** Tells the deposed leader, if one still answers, that it is one. */
  endDeposed(): void {
    if (this.#deposed === undefined) return;
    this.#deposed = undefined;
    this.#notify();
  }

  /** Sets the broker clock of this partition's leader, against true time. */
  setSkew(skewMs: DurationMs): void {
    this.#skewMs = skewMs;
  }

  #batchOf({ records, producer, marker, unreadable }: AppendRequest, baseOffset: number): LogBatch {
    const now = this.#environment.trueMs() + this.#skewMs;
    const logAppendTime = this.timestampType === 'LogAppendTime' && marker === undefined;
    const whole =
      unreadable === undefined
        ? []
        : [unreadableBatch(unreadable, { offset: baseOffset, timestamp: now, logAppendTime })];
    const data = records.map((record, index) =>
      toLogRecord(record, {
        offset: baseOffset + index,
        timestamp: logAppendTime ? now : (record.timestamp ?? now),
        logAppendTime,
      }),
    );
    const stored: LogRecord[] = [...whole, ...data];
    return {
      baseOffset,
      lastOffset: baseOffset + (unreadable ?? Math.max(1, records.length)) - 1,
      records: stored,
      producer,
      marker,
      leaderEpoch: this.#leaderEpoch,
      maxTimestamp: stored.reduce((max, record) => Math.max(max, record.timestamp), stored[0]?.timestamp ?? now),
      logAppendTime,
      checksum: batchChecksum(stored, baseOffset * 31 + this.#leaderEpoch),
      byteLength: batchBytes(records),
    };
  }

  #noteWritten(batch: LogBatch): void {
    const { producer, marker } = batch;
    if (producer?.transactional !== true) return;
    const former = marker === undefined ? (this.#written.get(producer.producerId) ?? []) : [];
    // Batches that an election removed may be sent again, with the same sequence.
    const kept = former.filter((each) => each.producer!.baseSequence !== producer.baseSequence);
    this.#written.set(producer.producerId, marker === undefined ? [...kept, batch] : []);
  }

  #replicate(end: number): void {
    const { time, faults } = this.#environment;
    const epoch = this.#leaderEpoch;
    const attempt = (): void => {
      if (epoch !== this.#leaderEpoch || end <= this.#highWatermark) return;
      const stallMs = this.#stalledUntilMs - time.nowMs;
      if (stallMs > 0) time.after(stallMs, attempt);
      else this.#advance(end);
    };
    time.after(faults.replicationDelayMs(), attempt);
  }

  #advance(end: number): void {
    this.#highWatermark = end;
    this.#replicated = Math.max(this.#replicated, end);
    this.#transactions.replicated(end);
    const acked = this.#pending.filter((ack) => ack.end <= end);
    this.#pending = this.#pending.filter((ack) => ack.end > end);
    for (const ack of acked) ack.done(ack.acked);
    this.#notify();
  }

  /** The end of one of the unreplicated batches, or of the replicated part. */
  #electionCut(): number {
    const from = this.#firstFrom(this.#replicated);
    const kept = this.#environment.faults.below(this.#batches.length - from + 1);
    return kept === 0 ? this.#replicated : this.#batches[from + kept - 1]!.lastOffset + 1;
  }

  /** A follower learns of the high watermark one fetch late: its own may be a few batches behind. */
  #followersHighWatermark(): number {
    const at = this.#firstFrom(this.#highWatermark) - this.#environment.faults.below(1 + ELECTION_LAG_BATCHES_MAX);
    const known = this.#batches[Math.max(0, at)]?.baseOffset ?? this.#highWatermark;
    return Math.min(this.#highWatermark, Math.max(this.#logStart, known));
  }

  #cut(offset: number): void {
    if (offset >= this.#logEnd) return;
    this.#environment.faults.count('logTailLost');
    const at = this.#firstFrom(offset);
    this.#logEnd = this.#batches[at]?.baseOffset ?? offset;
    this.#batches = this.#batches.slice(0, at);
    this.#logStart = Math.min(this.#logStart, this.#logEnd);
    this.#highWatermark = Math.min(this.#highWatermark, this.#logEnd);
    this.#replicated = Math.min(this.#replicated, this.#logEnd);
    this.#transactions.cut(this.#logEnd, this.#batches);
  }

  /** Index of the first batch that ends at or after `offset`. */
  #firstFrom(offset: number): number {
    let low = 0;
    let high = this.#batches.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#batches[middle]!.lastOffset < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
