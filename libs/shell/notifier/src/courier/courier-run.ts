// Carries one partition's outputs to their endpoints, from a fence to the next failure (N3).
//
// A turn takes what has come (outcomes of attempts, what is due, outputs), has the queues decide, writes all of that in one
// transaction with the positions up to which it was taken, and only then begins the attempts that were decided on.
//
// Owns: the writer, both sources, the queues, the attempts under way.
// Does not own: gates and senders (shared by the process), what is decided (EndpointQueue), the deliveries that wait (engine).
//
// Invariants
//   CR1  An attempt begins once its delivery is kept by a committed transaction, and what came of it is in the next one. So what is
//        sent again after a crash was under way, or its outcome on its way to the log.
//   CR2  After any error of a commit nothing more is written or begun: whoever follows begins with what is committed.
import { type Clock, type DurationMs, isConsequence, messageOf, type Random } from '@flatline/base';
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
import { POSITIONS_EVERY_MS, POSITIONS_RENEWED_MS, TAKEN_BYTES_MAX, TAKEN_MAX } from './limits.ts';
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
  #underWay = 0;
  /** By the monotonic clock. */
  #committedAt: DurationMs = -Infinity;
  #isClosing = false;
  #news = false;
  #wake: (() => void) | undefined;

  constructor(parts: RunParts) {
    const { reader, notified, partition, offsets, ways, restored, random, clock } = parts;
    this.#parts = parts;
    this.#outputs = new LogSource(reader, { topic: notified.pipeline.output.topic, partition }, offsets.outputs);
    this.#due = new LogSource(reader, { topic: notified.deliveries.output.topic, partition }, offsets.due);
    this.#ways = new Map(ways.map((way) => [way.endpoint.name, way]));
    const write = (decided: Write): void => {
      this.#writes.push(decided);
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
        const begun = this.#turn();
        if (this.#writes.length > 0 || this.#shouldCommitPositions) await this.#commit();
        for (const delivery of begun) this.#attempt(delivery);
        const isOver = this.#underWay === 0 || this.#end.signal.aborted;
        if (this.#isClosing && isOver && this.#ended.length === 0) return;
        if (begun.length === 0) await this.#somethingNew();
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
    for (const { delivery, outcome } of this.#ended.splice(0))
      this.#queues.get(delivery.endpoint)!.ended(delivery, outcome, now);
    if (this.#isClosing) return [];
    this.#take(this.#due, (record) => this.#taken.due(record, now));
    this.#take(this.#outputs, (record) => this.#taken.output(record, now));
    return [...this.#queues.values()].flatMap((queue) => queue.next(now));
  }

  #take(source: LogSource, take: (record: RawRecord) => number): void {
    let bytes = 0;
    for (let taken = 0; taken < TAKEN_MAX && bytes < TAKEN_BYTES_MAX; taken += 1) {
      const record = source.next();
      if (record === undefined) return;
      bytes += take(record);
    }
    // More may be there, and no one would tell.
    this.#news = true;
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
    const decided = this.#writes;
    this.#writes = [];
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
      this.#hasMoved ? POSITIONS_EVERY_MS : renewMs,
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
