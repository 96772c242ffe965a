// Records of several inputs, in the one order that the logs decide (S8).
//
// Owns: the order, whose cursor was looked ahead with last.
// Does not own: what is done with a record (the RecordTaker of its input), cursors, where records come from.
import { assert, type Millis } from '@flatline/base';
import type { HeldTime, HeldTimeRules } from '@flatline/kinds';
import type { RecordCursor } from '@flatline/ports';
import type { InputPosition } from '../changelog/block-format.ts';
import type { NextCommit } from '../commit/next-commit.ts';
import type { EntryTable } from '../entries/entry-table.ts';
import type { StateLimits } from '../entries/state-limits.ts';
import type { TaskCounters } from '../live/counters.ts';
import type { Expiry } from '../live/expiry.ts';
import type { LiveEntries } from '../live/live-entries.ts';
import type { PartitionClock } from '../live/partition-clock.ts';
import type { MergedOutcome } from '../task-contract.ts';
import { InputTime } from './input-time.ts';
import { MergeOrder } from './merge-order.ts';
import { type InputRules, isClockRecord } from './record-class.ts';
import { RecordTaker } from './record-taker.ts';

/** Records in hand of each input; undefined: none are. */
export type Cursors = readonly (RecordCursor | undefined)[];

export interface MergedTakerParts {
  readonly heldTime: HeldTimeRules;
  /** The time that all of them hold. */
  readonly held: HeldTime;
  /** PipelineKind.dueGrowthMax */
  readonly dueGrowthMax: number;
  readonly state: StateLimits;
  readonly clock: PartitionClock;
  readonly table: EntryTable;
  readonly counters: TaskCounters;
  readonly expiry: Expiry;
  readonly commit: NextCommit;
  readonly entries: LiveEntries;
}

const FULL: MergedOutcome = { kind: 'of', input: 0, outcome: { kind: 'full' } };
const AWAITING: MergedOutcome = { kind: 'awaiting' };
const NO_INPUT = -1;

export class MergedTaker {
  readonly #order: MergeOrder;
  readonly #takers: readonly RecordTaker[];
  readonly #commit: NextCommit;
  /** The present when each input's record in hand was looked at: by another its stamp might say something else (C6). */
  readonly #seenAt: Millis[];
  /** The input whose cursor was looked ahead with last: the table knows one group at a time. */
  #lookedAt = NO_INPUT;

  constructor(rules: readonly InputRules[], { heldTime, clock, held, ...parts }: MergedTakerParts) {
    const order = new MergeOrder(rules.length);
    this.#order = order;
    this.#commit = parts.commit;
    this.#seenAt = rules.map(() => 0);
    this.#takers = rules.map((of, number) => {
      const among = { held, ownClock: () => order.clockOf(number) };
      const time = new InputTime({ heldTime, clock, table: parts.table, counters: parts.counters, among });
      return new RecordTaker({ ...parts, clock, number, rules: of, time });
    });
  }

  /** The taker of one input, counted from 0. */
  of(input: number): RecordTaker {
    const taker = this.#takers[input];
    assert(taker !== undefined, 'there is such an input', { input });
    return taker;
  }

  resume(inputs: readonly InputPosition[]): void {
    assert(inputs.length === this.#takers.length, 'each input has a position', { positions: inputs.length });
    this.#order.resume(inputs.map(({ clock = 0 }) => clock));
    inputs.forEach((input, number) => {
      this.#takers[number]!.resume(input);
    });
  }

  /** Copies, each with its clock. */
  get inputs(): readonly InputPosition[] {
    return this.#takers.map((taker, number) => ({ ...taker.input, clock: this.#order.clockOf(number) }));
  }

  /** The sum of all positions. */
  get applied(): number {
    return this.#takers.reduce((sum, { position }) => sum + position, 0);
  }

  /** No record of the input lies before it, in hand or to come. */
  frontOf(input: number): Millis {
    return this.#order.frontOf(input);
  }

  /** The instant that the input has to show it has passed, for a record of another input that waits for it; undefined: none does. */
  awaitedOf(input: number): Millis | undefined {
    return this.#order.awaitedOf(input);
  }

  inspect(): string[] {
    return this.#order.inspect();
  }

  /** Says that the input's next record comes with a new cursor. */
  restartReading(input: number): void {
    this.#takers[input]!.restartReading();
    this.#order.hide(input);
  }

  /** @throws RecordFailed; what a cursor throws. */
  step(cursors: Cursors, limit: number, wallNow: Millis): MergedOutcome {
    for (let left = limit; left > 0;) {
      // A cursor that is used up moves a position, too (PT3).
      if (this.#commit.isCutting) return FULL;
      const stopped = this.#show(cursors, wallNow);
      if (stopped !== undefined) return stopped;
      const input = this.#order.next();
      if (input < 0) return AWAITING;
      const cursor = cursors[input]!;
      const count = Math.min(left, recordsAtOnce(cursor));
      const outcome = this.#take(input, cursor, count);
      if (outcome.kind !== 'limit') return { kind: 'of', input, outcome };
      left -= count;
    }
    return { kind: 'limit' };
  }

  /** Has each cursor show its next record. Returns what stops that: a cursor that is used up, a stamp from the future (C6). */
  #show(cursors: Cursors, wallNow: Millis): MergedOutcome | undefined {
    for (let input = 0; input < cursors.length; input += 1) {
      const cursor = cursors[input];
      if (cursor === undefined || this.#order.hasHead(input)) continue;
      const taker = this.#takers[input]!;
      if (!taker.look(cursor)) {
        // It released what was looked at, whosever that was.
        this.#lookedAt = NO_INPUT;
        return { kind: 'of', input, outcome: { kind: 'exhausted' } };
      }
      // In its place it would wait unseen, while what other inputs bring closes what it may prolong.
      if (taker.isFuture(cursor, wallNow)) {
        const { timestamp, offset } = cursor;
        return { kind: 'of', input, outcome: { kind: 'futureStamp', timestamp, offset } };
      }
      this.#seenAt[input] = wallNow;
      this.#order.show(input, taker.stampOf(cursor, wallNow), isClock(cursor));
    }
    return undefined;
  }

  /** Takes up to `count` records of one place. */
  #take(input: number, cursor: RecordCursor, count: number): ReturnType<RecordTaker['step']> {
    const wallNow = this.#seenAt[input]!;
    const taker = this.#takers[input]!;
    if (this.#lookedAt !== input) taker.lookAgain();
    this.#lookedAt = input;
    const { position } = taker;
    const outcome = taker.step(cursor, count, wallNow);
    if (taker.position > position) {
      this.#order.taken(input);
      // The rest of a batch whose records have one place.
      if (taker.isHolding) this.#order.show(input, taker.stampOf(cursor, wallNow), isClock(cursor));
    }
    return outcome;
  }
}

/** Number of records that come next and have one stamp: where the broker stamps, a batch has one. */
function recordsAtOnce({ logAppendTime, group, groupIndex }: RecordCursor): number {
  return logAppendTime ? Math.max(1, group.count - groupIndex) : 1;
}

function isClock(cursor: RecordCursor): boolean {
  return cursor.unreadable === undefined && cursor.keyLength < 0 && isClockRecord(cursor);
}
