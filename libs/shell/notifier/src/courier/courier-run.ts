// Carries one partition's outputs to their endpoints, from a fence to the next failure (N3).
//
// A turn takes what has come (outcomes of attempts, what is due, outputs), has the queues decide, and begins the attempts that were
// decided on of what is kept already. All of that is written in one transaction, with the positions up to which it was taken; only
// then begin the others.
//
// Owns: the writer, both sources, the queues, the attempts under way.
// Does not own: gates and senders (shared by the process), what is decided (EndpointQueue), the deliveries that wait (engine).
//
// Invariants
//   CR1  An attempt begins once its delivery is kept by a committed transaction, and so is what came of those before it. What came of
//        it is in the next one, which begins within COMMIT_GAP_MS, or when the one before is over. So what is sent again after a
//        crash is no more than what may be under way at once.
//   CR2  After any error of a commit nothing more is written or begun: whoever follows begins with what is committed.
import { type Clock, type DurationMs, isConsequence, messageOf, type Millis, type Random } from '@flatline/base';
import {
  type Breaker,
  type Delivery,
  EndpointQueue,
  type Outcome,
  type QueueCounters,
  type Write,
} from '@flatline/deliveries';
import type { LogReader, TransactionalWriter } from '@flatline/ports';
import type { RawRecord } from '../records/raw-record.ts';
import { boundedText } from '../sending/answer-text.ts';
import type { Carried, Way } from './carried.ts';
import {
  COMMIT_GAP_MS,
  HELD_BACK_MS,
  KEEP_GAP_MS,
  POSITIONS_EVERY_MS,
  POSITIONS_RENEWED_MS,
  TAKEN_BYTES_MAX,
  TAKEN_MAX,
} from './limits.ts';
import { LogSource } from './log-source.ts';
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
  #writes: Write[] = [];
  /** Those of them that no commit has kept yet. */
  readonly #unkept = new Set<Delivery>();
  /** To be attempted once it is kept. */
  #decided: Delivery[] = [];
  #isBreakerDecided = false;
  /** An attempt has ended, and no commit has what came of it. */
  #hasOutcomes = false;
  /** Bytes of bodies that were taken since the last commit. */
  #takenBytes = 0;
  #underWay = 0;
  /** By the monotonic clock, as all below. */
  #committedAt: DurationMs = -Infinity;
  /** When a commit began last. */
  #commitBeganAt: DurationMs = -Infinity;
  /** When outputs were taken last, or there were none. */
  #tookAt: DurationMs;
  #isHeldBack = false;
  #isClosing = false;
  #news = false;
  #wake: (() => void) | undefined;

  constructor(parts: RunParts) {
    const { reader, notified, partition, offsets, ways, restored, random, clock } = parts;
    this.#parts = parts;
    this.#tookAt = clock.monotonicMs();
    this.#outputs = new LogSource(reader, { topic: notified.pipeline.output.topic, partition }, offsets.outputs);
    this.#due = new LogSource(reader, { topic: notified.deliveries.output.topic, partition }, offsets.due);
    this.#ways = new Map(ways.map((way) => [way.endpoint.name, way]));
    const write = (decided: Write): void => {
      this.#writes.push(decided);
      if (decided.kind === 'keep') this.#unkept.add(decided.delivery);
      if (decided.kind === 'breaker') this.#isBreakerDecided = true;
    };
    for (const { endpoint, gate } of ways) {
      const queue = new EndpointQueue({ rules: endpoint, gate, random, write });
      queue.restore(restored.kept.get(endpoint.name) ?? [], restored.breakers.get(endpoint.name), clock.wallMs());
      this.#queues.set(endpoint.name, queue);
    }
    this.#taken = new TakenRecords({ ...parts, queues: this.#queues, write });
    for (const source of [this.#outputs, this.#due]) source.onChange(this.#notify);
    this.#unlisten = ways.map(({ gate }) => gate.onFree(this.#notify));
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
      for (;;) {
        this.#news = false;
        const decided = this.#turn();
        this.#decided.push(...decided);
        // A breaker that has changed is known to all before anyone goes by it, and outcomes before more is under way (CR1).
        if (!this.#isBreakerDecided && !this.#hasOutcomes) this.#begin();
        const hasAny = this.#writes.length > 0 || this.#shouldCommitPositions;
        if (hasAny && this.#gapMs === 0) {
          await this.#commit();
          this.#begin();
        }
        const isOver = this.#underWay === 0 || this.#end.signal.aborted;
        if (this.#isClosing && isOver && this.#ended.length === 0) return;
        if (decided.length === 0) await this.#somethingNew();
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

  #turn(): readonly Delivery[] {
    const now = this.#parts.clock.wallMs();
    for (const { delivery, outcome } of this.#ended.splice(0)) {
      this.#hasOutcomes = true;
      this.#queues.get(delivery.endpoint)!.ended(delivery, outcome, now);
    }
    if (this.#isClosing) return [];
    this.#take(this.#due, (record) => this.#taken.due(record, now));
    this.#takeOutputs(now);
    return [...this.#queues.values()].flatMap((queue) => queue.next(now));
  }

  /** While no endpoint has room what comes would be kept and come back later, which costs twice: it stays where it lies, for a while. */
  #takeOutputs(now: Millis): void {
    const nowMs = this.#parts.clock.monotonicMs();
    const isOverdue = nowMs - this.#tookAt >= HELD_BACK_MS;
    const queues = [...this.#queues.values()];
    const mayTake = (): boolean => isOverdue || queues.some(({ hasRoom }) => hasRoom);
    this.#isHeldBack = !mayTake();
    if (this.#isHeldBack) return;
    this.#tookAt = nowMs;
    this.#take(this.#outputs, (record) => this.#taken.output(record, now), mayTake);
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

  /** Begins what was decided on, as far as it is kept; once all is committed, all of it. */
  #begin(): void {
    const decided = this.#decided;
    this.#decided = [];
    // It is kept: whoever follows begins it.
    if (this.#isClosing) return;
    for (const delivery of decided)
      if (this.#unkept.has(delivery)) this.#decided.push(delivery);
      else this.#attempt(delivery);
  }

  /** 0: the next transaction may begin. */
  get #gapMs(): DurationMs {
    const isWaitedFor = this.#decided.length > 0 && this.#hasOutcomes;
    const isUrgent = this.#isClosing || this.#isBreakerDecided || isWaitedFor || this.#isFull;
    if (isUrgent) return 0;
    const gapMs = this.#decided.length > 0 ? KEEP_GAP_MS : COMMIT_GAP_MS;
    return Math.max(0, this.#commitBeganAt + gapMs - this.#parts.clock.monotonicMs());
  }

  /** True if a transaction would hold no more. */
  get #isFull(): boolean {
    return this.#writes.length >= TAKEN_MAX || this.#takenBytes >= TAKEN_BYTES_MAX;
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
    sender.attempt(delivery, this.#end.signal).then(ended, (error: unknown) => {
      // A defect of a sender: the delivery has failed, and others go on.
      ended({ kind: 'failed', attempt: { at, ms: 0, error: boundedText(messageOf(error)) } });
    });
  }

  get #shouldCommitPositions(): boolean {
    const agoMs = this.#parts.clock.monotonicMs() - this.#committedAt;
    if (agoMs >= POSITIONS_RENEWED_MS) return true;
    return this.#hasMoved && (this.#isClosing || agoMs >= POSITIONS_EVERY_MS);
  }

  get #hasMoved(): boolean {
    return this.#outputs.hasMoved || this.#due.hasMoved;
  }

  async #commit(): Promise<void> {
    const { notified, partition, writer, clock, log } = this.#parts;
    this.#commitBeganAt = clock.monotonicMs();
    const decided = this.#writes;
    this.#writes = [];
    this.#isBreakerDecided = false;
    this.#hasOutcomes = false;
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
    this.#unkept.clear();
    for (const { source, position } of positions) source.committed(position);
    this.#committedAt = clock.monotonicMs();
    for (const write of decided) tell(write, { log, notified, partition });
  }

  /** Resolves when there may be something to do. */
  #somethingNew(): Promise<void> {
    if (this.#news) return Promise.resolve();
    const { clock } = this.#parts;
    const now = clock.wallMs();
    const instants = [...this.#queues.values()].flatMap((queue) => queue.nextAt(now) ?? []);
    const renewMs = Math.max(1, POSITIONS_RENEWED_MS - (clock.monotonicMs() - this.#committedAt));
    const waitMs = Math.min(
      ...instants.map((at) => Math.max(1, at - now)),
      this.#writes.length > 0 ? Math.max(1, this.#gapMs) : Infinity,
      this.#hasMoved ? POSITIONS_EVERY_MS : renewMs,
      ...(this.#isHeldBack ? [Math.max(1, this.#tookAt + HELD_BACK_MS - clock.monotonicMs())] : []),
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
