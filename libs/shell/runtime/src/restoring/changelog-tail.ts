// Reads a changelog partition forward and hands its blocks on, until a given point.
//
// Owns: the subscription, the record in hand.
// Does not own: what a block means (Restoration).
import { type Clock, copyBytes, type DurationMs, PartitionStopped, Retriable } from '@flatline/base';
import type { LogAdmin, LogReader, LogSubscription, FetchedRecords, TopicPartition } from '@flatline/ports';
import type { Heard } from '../proof/fetch-proof.ts';
import { PROOF_PATIENCE_MS } from '../limits.ts';
import type { RuntimeLog, Turns } from '../settings.ts';
import { readObstacle } from '../read-obstacle.ts';
import { TransactionStall } from '../transaction-stall.ts';
import { WorkSlice } from '../work-slice.ts';

/** Returns false to stop before the next block. */
export type BlockHandler = (bytes: Uint8Array, offset: number) => boolean | Promise<boolean>;

/** The position is no longer in the log, which was truncated beyond it (K5). */
export class BelowLogStart extends Error {
  constructor(position: number, logStartOffset: number) {
    super(`what was read stands at ${position}, the log starts at ${logStartOffset}`);
  }
}

interface ChangelogPorts {
  readonly changelog: LogReader;
  readonly admin: LogAdmin;
  readonly clock: Clock;
  readonly turns: Turns;
  readonly log: RuntimeLog;
}

export class ChangelogTail {
  readonly #ports: ChangelogPorts;
  readonly #stall: TransactionStall;
  #subscription: LogSubscription;
  #fetched: FetchedRecords | undefined;
  #position: number;
  /** Leader epoch of the batch before the position; undefined before anything was read. */
  #readEpoch: number | undefined;
  #heard: Heard | undefined;
  /** Offset below which everything is in the log for certain. */
  #thereBelow = 0;
  #progressAtMs: DurationMs = 0;

  constructor(ports: ChangelogPorts, partition: TopicPartition, from: number) {
    this.#ports = ports;
    this.#position = from;
    this.#stall = new TransactionStall(ports, 'changelog', partition);
    this.#subscription = ports.changelog.subscribe(partition, from);
  }

  /** Everything below has been handed on. */
  get position(): number {
    return this.#position;
  }

  /** The newest record read, as the broker stamped it; undefined before one, or where producers stamp. */
  get heard(): Heard | undefined {
    return this.#heard;
  }

  /** First offset the leader still holds, as of the newest answer. */
  get logStartOffset(): number {
    return this.#subscription.ends?.logStartOffset ?? 0;
  }

  /** Offsets between the position and the last stable offset, as of the newest answer; undefined before the first. */
  get lag(): number | undefined {
    const { ends } = this.#subscription;
    return ends && Math.max(0, ends.lastStableOffset - this.#position);
  }

  /** Obstacle to reading it (X5). */
  get obstacle(): string | undefined {
    const obstacle = readObstacle('changelog', this.#subscription, this.#ports.clock.monotonicMs());
    return obstacle ?? this.#stall.obstacle;
  }

  /**
   * Reads to the last stable offset as a request sent after this call sees it. True if the handler never said stop.
   * `abandon` ends it with Retriable between two blocks. @throws BelowLogStart,
   * PartitionStopped, Retriable, Fatal
   */
  async readToEnd(handle: BlockHandler, abandon?: AbortSignal): Promise<boolean> {
    const since = this.#ports.clock.monotonicMs();
    const isDone = (): boolean => {
      const { ends } = this.#subscription;
      return ends !== undefined && ends.askedAtMs >= since && this.#position >= ends.lastStableOffset;
    };
    return this.#read(handle, isDone, abandon);
  }

  /** Reads until everything below `offset` has been handed on. `abandon` as above. */
  async readTo(offset: number, handle: BlockHandler, abandon?: AbortSignal): Promise<boolean> {
    this.#thereBelow = offset;
    this.#progressAtMs = this.#ports.clock.monotonicMs();
    return this.#read(handle, () => this.#position >= offset, abandon);
  }

  /** Reads on and on, until `halt` is aborted: ends with Retriable. */
  async follow(handle: BlockHandler, halt: AbortSignal): Promise<void> {
    await this.#read(handle, () => false, halt);
  }

  /** After a failure that may pass: reads on where it stands. */
  reopen(): void {
    this.close();
    this.#fetched = undefined;
    this.#subscription = this.#ports.changelog.subscribe(this.#subscription.partition, this.#position, this.#readEpoch);
  }

  close(): void {
    this.#subscription.onChange(undefined);
    this.#subscription.close();
  }

  async #read(handle: BlockHandler, isDone: () => boolean, abandon: AbortSignal | undefined): Promise<boolean> {
    const slice = new WorkSlice(this.#ports);
    for (;;) {
      throwIfAbandoned(abandon);
      const record = await this.#next(isDone, abandon);
      if (record === undefined) return true;
      const { cursor } = record;
      if (cursor.valueLength < 0) throw notABlock(this.#subscription.partition, cursor.offset);
      // A copy: parts of a commit are kept, and the fetch answer's buffer is not ours to keep.
      const value = copyBytes(cursor.bytes, cursor.valueStart, cursor.valueStart + cursor.valueLength);
      this.#position = cursor.offset + 1;
      this.#readEpoch = cursor.batchLeaderEpoch;
      if (cursor.logAppendTime) this.#heard = { appendedAt: cursor.timestamp, receivedAtMs: record.receivedAtMs };
      if (!(await handle(value, cursor.offset))) return false;
      if (slice.isOver(value.length)) await slice.next();
    }
  }

  /** The fetched records, standing on the next one; undefined once done. */
  async #next(isDone: () => boolean, abandon: AbortSignal | undefined): Promise<FetchedRecords | undefined> {
    for (;;) {
      if (this.#fetched !== undefined) {
        if (this.#fetched.cursor.next()) return this.#fetched;
        this.#position = this.#fetched.nextOffset;
        this.#readEpoch = this.#fetched.cursor.batchLeaderEpoch;
        this.#fetched = undefined;
      }
      this.#fetched = this.#subscription.take();
      if (this.#fetched !== undefined) {
        this.#progressAtMs = this.#ports.clock.monotonicMs();
        continue;
      }
      if (this.#subscription.failure !== undefined) throw await this.#explained(this.#subscription.failure);
      const { ends } = this.#subscription;
      if (ends !== undefined) this.#stall.note(ends);
      if (isDone()) return undefined;
      if (this.#position < this.#thereBelow) this.#doubtLeader();
      throwIfAbandoned(abandon);
      await this.#changed(abandon);
    }
  }

  /** Called at every answer that shows nothing new: a deposed leader gives no others. */
  #doubtLeader(): void {
    const now = this.#ports.clock.monotonicMs();
    if (now - this.#progressAtMs < PROOF_PATIENCE_MS) return;
    this.#progressAtMs = now;
    this.#subscription.lookAgain();
  }

  async #explained(failure: Error): Promise<Error> {
    if (!(failure instanceof PartitionStopped)) return failure;
    const { partition } = this.#subscription;
    // Where the log starts by a deposed leader, much of it may be gone.
    this.#ports.admin.doubtLeader(partition);
    const { logStartOffset } = await this.#ports.admin.ends(partition);
    if (this.#position >= logStartOffset) return failure;
    return new BelowLogStart(this.#position, logStartOffset);
  }

  #changed(abandon: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#subscription.onChange(undefined);
        abandon?.removeEventListener('abort', wake);
        resolve();
      };
      this.#subscription.onChange(wake);
      abandon?.addEventListener('abort', wake);
    });
  }
}

function throwIfAbandoned(abandon: AbortSignal | undefined): void {
  if (abandon?.aborted === true) throw new Retriable('reading the changelog was abandoned');
}

function notABlock({ topic, partition }: TopicPartition, offset: number): PartitionStopped {
  return new PartitionStopped(
    `${topic}/${partition} offset ${offset} is not a changelog block: something else writes to this topic; ` +
      'give the application a name of its own, or restore the topic',
  );
}
