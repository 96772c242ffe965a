// The timers of live entries: those that go first in a wheel of their own (Kind.goesFirst), so that what may be late does
// not stand between them and a record.
//
// Owns: the two wheels, and which of them an entry waits in.
// Does not own: due instants, and what happens then (LiveEntries).
//
// Invariants
//   EW1  An entry waits in one wheel: in `#first` exactly if it goes first.
//
// Checked
//   inspect  EW1
import { assert, type Millis } from '@flatline/base';
import { TimingWheel, type TimingWheelOptions } from '@flatline/timing-wheel';

export interface EntryTimersOptions extends TimingWheelOptions {
  /** undefined: no entry does. */
  readonly goesFirst: ((slot: number) => boolean) | undefined;
}

export class EntryTimers {
  readonly #rest: TimingWheel;
  readonly #first: TimingWheel | undefined;
  readonly #goesFirst: (slot: number) => boolean;

  constructor(options: EntryTimersOptions) {
    const { goesFirst } = options;
    this.#rest = new TimingWheel(options);
    this.#first = goesFirst && new TimingWheel({ ...options, initialCapacity: 0 });
    this.#goesFirst = goesFirst ?? (() => false);
  }

  get size(): number {
    return this.#rest.size + (this.#first?.size ?? 0);
  }

  get hasBacklog(): boolean {
    return this.#rest.hasBacklog || this.#first?.hasBacklog === true;
  }

  /** Arms a timer, or moves it: to be called where the entry has come to be due sooner, or has come to go first. */
  schedule(slot: number): void {
    if (this.#first === undefined) {
      this.#rest.schedule(slot);
      return;
    }
    const isFirst = this.#goesFirst(slot);
    (isFirst ? this.#rest : this.#first).cancel(slot);
    (isFirst ? this.#first : this.#rest).schedule(slot);
  }

  cancel(slot: number): void {
    this.#rest.cancel(slot);
    this.#first?.cancel(slot);
  }

  /** As TimingWheel, of what does not go first. */
  poll(now: Millis, limit: number, onDue: (slot: number) => void): number {
    return this.#rest.poll(now, limit, onDue);
  }

  /** True if any of it is left at the instant last polled. */
  get hasRest(): boolean {
    return this.#rest.hasBacklog;
  }

  fireWithinTick(limit: number, onDue: (slot: number) => void): boolean {
    return this.#rest.fireWithinTick(limit, onDue);
  }

  /** A lower bound of what goes first; Infinity: nothing does. */
  get firstDeadline(): Millis {
    return this.#first?.earliestDeadline() ?? Infinity;
  }

  /** Fires up to `limit` of what goes first, to the end of the tick. True if there may be more. */
  fireFirst(now: Millis, limit: number, onDue: (slot: number) => void): boolean {
    const first = this.#first;
    assert(first !== undefined, 'EW1: something goes first');
    const fired = first.poll(now, limit, onDue);
    return first.hasBacklog || fired >= limit || first.fireWithinTick(limit - fired, onDue) || first.hasBacklog;
  }

  /** As TimingWheel. */
  earliestDeadline(): Millis | undefined {
    return earlier(this.#rest.earliestDeadline(), this.#first?.earliestDeadline());
  }

  /** As TimingWheel. */
  earliestAhead(): Millis | undefined {
    return earlier(this.#rest.earliestAhead(), this.#first?.earliestAhead());
  }

  /** As TimingWheel. */
  *armed(): Generator<readonly [slot: number, bound: Millis], void> {
    yield* this.#rest.armed();
    if (this.#first !== undefined) yield* this.#first.armed();
  }

  /** Lists violations of its invariant and the wheels', in words. O(`slotsEnd`), changes nothing. For checks. */
  inspect(slotsEnd: number): string[] {
    const first = this.#first;
    const faults = this.#rest.inspect(slotsEnd);
    if (first === undefined) return faults;
    faults.push(...first.inspect(slotsEnd));
    for (let slot = 0; slot < slotsEnd; slot += 1) {
      const isFirst = first.isArmed(slot);
      const isRest = this.#rest.isArmed(slot);
      if (isFirst && isRest) faults.push(`EW1: slot ${slot} waits in both wheels`);
      else if ((isFirst || isRest) && isFirst !== this.#goesFirst(slot))
        faults.push(`EW1: slot ${slot} waits ${isFirst ? 'to go first' : 'among the rest'}, and should not`);
    }
    return faults;
  }
}

function earlier(one: Millis | undefined, other: Millis | undefined): Millis | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}
