// The time that the stamps of an input tell: what the clock acts on, and what time is held.
//
// Owns: evidence that is no record (C3), holds (C8), where history of the former timestamp type ends (C6).
// Does not own: the clock's instant (PartitionClock), what is due by it (Expiry).
import type { Millis } from '@flatline/base';
import { type HeldState, HeldTime, type HeldTimeRules } from '@flatline/kinds';
import type { TaskCounters } from '../live/counters.ts';
import type { EntryTable } from '../entries/entry-table.ts';
import type { PartitionClock } from '../live/partition-clock.ts';
import type { StepOutcome } from '../task-contract.ts';

export interface InputTimeParts {
  readonly heldTime: HeldTimeRules;
  readonly clock: PartitionClock;
  readonly table: EntryTable;
  readonly counters: TaskCounters;
  /** The time that all hold, and the clock of its own, of an input among several. Default: it is the only one. */
  readonly among?: { readonly held: HeldTime; readonly ownClock: () => Millis };
}

export class InputTime {
  readonly held: HeldTime;
  readonly #parts: InputTimeParts;
  readonly #clock: PartitionClock;
  /** Greatest evidence other than a record that the clock acts on (C3); 0: none. */
  #observed: Millis = 0;
  #watchesStamps: boolean;
  /** Below it, records of the other timestamp type are history, as long as the clock has not begun. */
  #formerBelow = 0;

  constructor(parts: InputTimeParts) {
    this.#parts = parts;
    this.#clock = parts.clock;
    this.held = parts.among?.held ?? new HeldTime(parts.heldTime);
    this.#watchesStamps = parts.heldTime.unheardMs > 0;
  }

  /** True if the stamps of records are watched beyond their effect on the clock: for C8, for C3. */
  get watchesStamps(): boolean {
    return this.#watchesStamps;
  }

  resume(clock: Millis, held: HeldState): void {
    this.#clock.advance(clock);
    this.held.restore(held);
  }

  allowFormerType(offset: number): void {
    this.#formerBelow = offset;
  }

  observe(evidence: Millis): void {
    if (evidence < this.#clock.now) return;
    this.#clock.advance(evidence);
    this.#observed = evidence;
    this.#watchesStamps = true;
  }

  get evidence(): Millis {
    return this.#observed;
  }

  /** True once a record of the input, or evidence, has moved the clock. */
  get hasBegun(): boolean {
    return (this.#parts.among?.ownClock() ?? this.#clock.now) > 0;
  }

  /** C6: what lies before the first record of the configured type is history, and counts for nothing. */
  otherType(offset: number): StepOutcome | undefined {
    const { hasBegun } = this;
    if (hasBegun || offset >= this.#formerBelow) return { kind: 'wrongTimestampType', offset, hasBegun };
    this.#parts.counters.formerTypeRecords += 1;
    return undefined;
  }

  /** True if time is held when the clock moves there, because something lives (C8). */
  holds(evidence: Millis): boolean {
    return this.#parts.table.size > 0 && this.held.isGap(this.#clock.now, evidence);
  }

  /** Moves the clock. `isAgain`: the record was looked at before, and counted then. */
  advance(evidence: Millis, isAgain: boolean): void {
    const before = this.#clock.now;
    this.#clock.advance(evidence);
    if (this.#watchesStamps) this.#watch(before, evidence, isAgain);
  }

  #watch(before: Millis, stamp: Millis, isAgain: boolean): void {
    // A gap in which sessions lived may be time in which nothing could be heard (C8).
    if (this.#parts.table.size > 0) this.held.moved(before, stamp);
    if (stamp < this.#observed && !isAgain) this.#parts.counters.clockOvertaken += 1;
  }
}
