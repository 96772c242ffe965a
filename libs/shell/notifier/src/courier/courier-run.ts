// Carries one partition's outputs to their endpoints, from a fence to the next failure (N3).
//
// A turn takes outputs and what is due, has the queues decide, and begins the attempts that they decide on; then it takes what came of
// those that have ended. What is decided is written in one transaction, with the positions up to which all was taken; what came of
// attempts is committed before more begin. An output that is delivered before its position is committed leaves no record.
//
// Owns: the writer, both sources, the queues, the attempts under way.
// Does not own: gates and senders (shared by the process), what is decided (EndpointQueue), what is not committed of it
//   (PendingWrites), the deliveries that wait (engine), whether another may have fenced it (FenceDoubt).
//
// Invariants
//   CR1  An attempt begins once the outcomes of those before it are committed. Until then its delivery comes again by itself: it is kept
//        by a committed transaction, or the record that it came by lies at or above the committed position. What came of it is in the
//        next transaction, which begins within COMMIT_GAP_MS, or when the one before is over. So what is sent again after a crash is no
//        more than what may be under way at once.
//   CR2  After any error of a commit nothing more is written or begun: whoever follows begins with what is committed.
//   CR3  An attempt begins at most UNFENCED_MS after a commit, by either clock, and not right after one that took far longer than the one
//        before: a run whose partition has another owner meets its fence first.
import { type Clock, type DurationMs, isConsequence, messageOf, type Millis, type Random } from '@flatline/base';
import { type Breaker, type Delivery, EndpointQueue, type Outcome, type QueueCounters } from '@flatline/deliveries';
import type { LogReader, TransactionalWriter } from '@flatline/ports';
import type { RawRecord } from '../records/raw-record.ts';
import { boundedText } from '../sending/answer-text.ts';
import type { Carried, Way } from './carried.ts';
import { FenceDoubt } from './fence-doubt.ts';
import {
  COMMIT_GAP_MS,
  HELD_BACK_MS,
  KEEP_GAP_MS,
  POSITIONS_EVERY_MS,
  POSITIONS_RENEWED_MS,
  OUTCOMES_GAP_MS,
  TAKEN_BYTES_MAX,
  TAKEN_MAX,
} from './limits.ts';
import { LogSource } from './log-source.ts';
import { PendingWrites } from './pending-writes.ts';
import type { Restored } from './restoration.ts';
import { TakenRecords } from './taken-records.ts';
import { tell } from './told-deliveries.ts';
import { writesOf } from './written-deliveries.ts';

/** Deliveries of one partition to one endpoint, since the run began. */
export interface EndpointStatus {
  readonly endpoint: string;
  readonly counters: QueueCounters;
  readonly underWay: number;
  /** In memory, to be attempted. */
  readonly ready: number;
  readonly breaker: Breaker['kind'];
}

export interface RunParts extends Carried {
  readonly clock: Clock;
  readonly random: Random;
  readonly writer: TransactionalWriter;
  readonly reader: LogReader;
  readonly offsets: { readonly outputs: number; readonly due: number };
  readonly restored: Restored;
}

interface Ended {
  readonly delivery: Delivery;
  readonly outcome: Outcome;
}

export class CourierRun {
  readonly #parts: RunParts;
  readonly #outputs: LogSource;
  readonly #due: LogSource;
  readonly #queues = new Map<string, EndpointQueue>();
  readonly #taken: TakenRecords;
  readonly #ways: ReadonlyMap<string, Way>;
  readonly #end = new AbortController();
  readonly #unlisten: readonly (() => void)[];
  readonly #ended: Ended[] = [];
  readonly #pending = new PendingWrites();
  readonly #fenceDoubt: FenceDoubt;
  /** When an attempt had ended of which no commit has what came of it; undefined: there is none. */
  #outcomeAt: DurationMs | undefined;
  /** Bytes of bodies that were taken since the last commit. */
  #takenBytes = 0;
  #underWay = 0;
  /** By the monotonic clock, as all below. */
  #committedAt: DurationMs = -Infinity;
  /** When a commit began last. */
  #commitBeganAt: DurationMs = -Infinity;
  /** When outputs were taken last, or there were none. */
  #tookAt: DurationMs;
  /** When what came would not have been parked last. */
  #roomyAt: DurationMs;
  #isHeldBack = false;
  /** No attempt begins before a commit: another may have fenced this run since the last one, or what is begun has to be kept longer. */
  #awaitsCommit = false;
  #isClosing = false;
  #news = false;
  #wake: (() => void) | undefined;

  constructor(parts: RunParts) {
    const { reader, notified, partition, offsets, ways, restored, random, clock } = parts;
    this.#parts = parts;
    this.#fenceDoubt = new FenceDoubt(clock);
    this.#tookAt = clock.monotonicMs();
    this.#roomyAt = this.#tookAt;
    this.#outputs = new LogSource(reader, { topic: notified.pipeline.output.topic, partition }, offsets.outputs);
    this.#due = new LogSource(reader, { topic: notified.deliveries.output.topic, partition }, offsets.due);
    this.#ways = new Map(ways.map((way) => [way.endpoint.name, way]));
    const write = this.#pending.add.bind(this.#pending);
    for (const { endpoint, gate } of ways) {
      const queue = new EndpointQueue({ rules: endpoint, gate, random, write });
      queue.restore(restored.kept.get(endpoint.name) ?? [], restored.breakers.get(endpoint.name), clock.wallMs());
      this.#queues.set(endpoint.name, queue);
    }
    this.#taken = new TakenRecords({ ...parts, queues: this.#queues, pending: this.#pending });
    for (const source of [this.#outputs, this.#due]) source.onChange(this.#notify);
    this.#unlisten = ways.map(({ gate }) => gate.onFree(this.#freed));
  }

  get endpoints(): readonly EndpointStatus[] {
    return [...this.#queues].map(([endpoint, { counters, waiting, breaker }]) => ({
      endpoint,
      counters,
      underWay: waiting.flying,
      ready: waiting.ready,
      breaker: breaker.kind,
    }));
  }

  /** Resolves once it is closed and nothing is under way. @throws what ended it */
  async work(): Promise<void> {
    try {
      // Before any attempt: whoever follows begins where this run began.
      await this.#commit();
      for (;;) {
        this.#news = false;
        // A breaker that has changed is known to all before anyone goes by it, and outcomes before more is under way (CR1).
        if (!this.#mustCommit && !this.#isClosing) this.#decide();
        this.#takeEnded();
        const waitMs = this.#untilCommitMs;
        if (waitMs === 0) {
          await this.#commit();
          continue;
        }
        const isOver = this.#underWay === 0 || this.#end.signal.aborted;
        if (this.#isClosing && isOver && this.#ended.length === 0) return;
        await this.#somethingNew(waitMs);
      }
    } finally {
      this.#close();
    }
  }

  /** Begins nothing more. */
  close(): void {
    this.#isClosing = true;
    this.#notify();
  }

  /** Waits for nothing that is under way. */
  abort(): void {
    this.#end.abort();
    this.close();
  }

  /** Whoever follows would decide otherwise, or attempt again what is replaced: that is committed before any attempt begins. */
  get #mustCommit(): boolean {
    const { isBreakerDecided, isAnyDropped } = this.#pending;
    return this.#outcomeAt !== undefined || isBreakerDecided || isAnyDropped;
  }

  /** Takes what has come, and begins what may begin. */
  #decide(): void {
    const now = this.#parts.clock.wallMs();
    this.#takeOutputs(now);
    this.#take(this.#due, (record) => this.#taken.due(record, now));
    if (this.#mustCommit) return;
    this.#awaitsCommit = this.#mayBegin(now) && this.#fenceDoubt.isThere;
    if (this.#awaitsCommit) return;
    for (const queue of this.#queues.values()) {
      for (const delivery of queue.next(now)) this.#attempt(delivery);
      this.#awaitsCommit ||= queue.isRenewing;
    }
  }

  #mayBegin(now: Millis): boolean {
    for (const queue of this.#queues.values()) if ((queue.nextAt(now) ?? Infinity) <= now) return true;
    return false;
  }

  /** Hands the outcomes of attempts to the queues. */
  #takeEnded(): void {
    if (this.#ended.length === 0) return;
    const { clock } = this.#parts;
    const now = clock.wallMs();
    this.#outcomeAt ??= clock.monotonicMs();
    for (const { delivery, outcome } of this.#ended.splice(0))
      this.#queues.get(delivery.endpoint)!.ended(delivery, outcome, now);
  }

  /**
   * While none can be attempted at once what comes would be kept first, or come back later, which costs more: it stays where it lies, for
   * a while, and then for another if it would have to come back.
   */
  #takeOutputs(now: Millis): void {
    const nowMs = this.#parts.clock.monotonicMs();
    const isOverdue = nowMs - this.#tookAt >= HELD_BACK_MS;
    const queues = [...this.#queues.values()];
    if (queues.some(({ hasRoomToWait }) => hasRoomToWait)) this.#roomyAt = nowMs;
    const isAllTaken = nowMs - this.#roomyAt >= HELD_BACK_MS;
    const mayTake = (): boolean =>
      this.#hasRoom(now) || (isOverdue && (isAllTaken || queues.some(({ hasRoomToWait }) => hasRoomToWait)));
    this.#isHeldBack = !mayTake();
    if (this.#isHeldBack) return;
    this.#tookAt = nowMs;
    this.#take(this.#outputs, (record) => this.#taken.output(record, now), mayTake);
    this.#isHeldBack = !mayTake();
  }

  /** How long what comes is left where it lies. */
  get #heldBackMs(): DurationMs {
    const leftOf = (sinceMs: DurationMs): DurationMs => sinceMs + HELD_BACK_MS - this.#parts.clock.monotonicMs();
    const leftMs = leftOf(this.#tookAt);
    return leftMs > 0 ? leftMs : leftOf(this.#roomyAt);
  }

  #hasRoom(now: Millis): boolean {
    for (const queue of this.#queues.values()) if (queue.hasRoom(now)) return true;
    return false;
  }

  #take(source: LogSource, take: (record: RawRecord) => number, mayTake: () => boolean = () => true): void {
    for (let taken = 0; taken < TAKEN_MAX && !this.#isFull && mayTake(); taken += 1) {
      const record = source.next();
      if (record === undefined) return;
      this.#takenBytes += take(record);
    }
    // More may be there, and no one would tell.
    this.#news = true;
  }

  /** 0: the next transaction begins. */
  get #untilCommitMs(): DurationMs {
    const { clock } = this.#parts;
    if (this.#awaitsCommit) return 0;
    const isUrgent = this.#isClosing || this.#pending.isBreakerDecided || this.#isFull;
    const hasAny = this.#pending.count > 0 || this.#outcomeAt !== undefined || this.#hasMoved;
    if (isUrgent && hasAny) return 0;
    const positionsAt = this.#committedAt + (this.#hasMoved ? POSITIONS_EVERY_MS : POSITIONS_RENEWED_MS);
    const isWritten = this.#pending.count > this.#pending.held;
    const writesAt = isWritten ? this.#commitBeganAt + COMMIT_GAP_MS : Infinity;
    const isReplaced = this.#outcomeAt === undefined && this.#pending.isAnyDropped;
    const replacedAt = isReplaced ? this.#commitBeganAt + KEEP_GAP_MS : Infinity;
    return Math.max(0, Math.min(positionsAt, writesAt, replacedAt, this.#outcomesAt) - clock.monotonicMs());
  }

  /** When what came of attempts is committed: at once where others wait for that and no record is spared by waiting. */
  get #outcomesAt(): DurationMs {
    if (this.#outcomeAt === undefined) return Infinity;
    if (!this.#isWaitedFor) return this.#outcomeAt + COMMIT_GAP_MS;
    return this.#pending.held > 0 ? this.#outcomeAt + OUTCOMES_GAP_MS : this.#outcomeAt;
  }

  /** Attempts might begin if outcomes were committed. */
  get #isWaitedFor(): boolean {
    const now = this.#parts.clock.wallMs();
    return (this.#hasRoom(now) && this.#outputs.hasMore) || this.#mayBegin(now) || this.#due.hasMore;
  }

  /** True if a transaction would hold no more. */
  get #isFull(): boolean {
    return this.#pending.count >= TAKEN_MAX || this.#takenBytes >= TAKEN_BYTES_MAX;
  }

  #attempt(delivery: Delivery): void {
    this.#underWay += 1;
    const { sender } = this.#ways.get(delivery.endpoint)!;
    const at = this.#parts.clock.wallMs();
    const ended = (outcome: Outcome): void => {
      this.#underWay -= 1;
      if (!this.#end.signal.aborted) this.#ended.push({ delivery, outcome });
      this.#notify();
    };
    const attempted = async (): Promise<Outcome> => sender.attempt(delivery, this.#end.signal);
    attempted().then(ended, (error: unknown) => {
      // A defect of a sender: the delivery has failed, and others go on.
      ended({ kind: 'failed', attempt: { at, ms: 0, error: boundedText(messageOf(error)) } });
    });
  }

  get #hasMoved(): boolean {
    return this.#outputs.hasMoved || this.#due.hasMoved;
  }

  async #commit(): Promise<void> {
    const { notified, partition, writer, clock, log } = this.#parts;
    this.#commitBeganAt = clock.monotonicMs();
    this.#fenceDoubt.began();
    const decided = this.#pending.take();
    this.#outcomeAt = undefined;
    this.#awaitsCommit = false;
    this.#takenBytes = 0;
    const writes = writesOf(decided, { notified, partition, now: clock.wallMs() });
    // Both: one that is not committed for long is forgotten, and where a run began with it would begin anywhere.
    const positions = [this.#outputs, this.#due].map((source) => ({ source, position: source.position }));
    const offsets = positions.map(({ source, position }) => ({
      ...source.partition,
      group: notified.group,
      offset: position,
      metadata: '',
    }));
    await writer.commit({ writes, offsets });
    for (const { source, position } of positions) source.committed(position);
    this.#committedAt = clock.monotonicMs();
    this.#fenceDoubt.committed();
    for (const write of decided) tell(write, { log, notified, partition });
  }

  /** Resolves when there may be something to do, and after `mostMs` at the latest. */
  #somethingNew(mostMs: DurationMs): Promise<void> {
    if (this.#news) return Promise.resolve();
    const { clock } = this.#parts;
    const now = clock.wallMs();
    const waitMs = Math.min(
      Math.max(1, mostMs),
      // Until outcomes are committed nothing begins.
      ...(this.#mustCommit ? [] : this.#instants.map((at) => Math.max(1, at - now))),
      this.#isHeldBack ? Math.max(1, this.#heldBackMs) : Infinity,
    );
    return new Promise((resolve) => {
      const cancel = clock.after(waitMs, () => this.#wake?.());
      this.#wake = () => {
        this.#wake = undefined;
        cancel();
        resolve();
      };
    });
  }

  /** When a queue may have more to begin, or room, without anything else happening. */
  get #instants(): readonly Millis[] {
    const now = this.#parts.clock.wallMs();
    const queues = [...this.#queues.values()];
    const rooms = this.#isHeldBack ? queues.flatMap((queue) => queue.roomAt() ?? []) : [];
    return [...rooms, ...queues.flatMap((queue) => queue.nextAt(now) ?? [])];
  }

  /** A gate that others use, too, is free: most of the time no one waits for it here. */
  readonly #freed = (): void => {
    if (this.#isHeldBack) this.#notify();
    else for (const { hasReady } of this.#queues.values()) if (hasReady) this.#notify();
  };

  readonly #notify = (): void => {
    this.#news = true;
    this.#wake?.();
  };

  #close(): void {
    this.#end.abort();
    for (const unlisten of this.#unlisten) unlisten();
    for (const queue of this.#queues.values()) queue.abandon();
    this.#outputs.close();
    this.#due.close();
  }
}

/** True if beginning again may help: what is a defect would come again, too, but other partitions go on. */
export function isForeseen(error: unknown): boolean {
  return isConsequence(error);
}
