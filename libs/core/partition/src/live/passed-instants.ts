// The instants that a kind with a state beside its entries (`Kept`) has passed: no due instant is let past one of them before its turn.
//
// Owns: the instant that is aimed at.
// Does not own: what is kept (the kind), due instants (LiveEntries), the clock.
//
// Invariants
//   IN1  Before an instant is passed nothing due at it or later takes effect by `expire`, and no record is taken by a clock that has
//        reached it.
//
// Checked
//   assertion  IN1, as far as what is passed has been reached: the oracle folds the rest.
import { assert, type Millis } from '@flatline/base';
import type { Effects, Kept, KeptBytes, ShownEntry } from '@flatline/kinds';

export class PassedInstants {
  readonly #kept: Kept | undefined;
  /** The first instant that may have to be passed; Infinity: none. A field of its own: each group of records asks. */
  #passesAt: Millis = Infinity;
  /** The instant that is passed once nothing due before it is left; Infinity: none is. */
  #aim: Millis = Infinity;

  /** undefined: the kind keeps nothing beside its entries, and none is ever passed. */
  constructor(kept: Kept | undefined) {
    this.#kept = kept;
  }

  /** As `Kept.begin`. Returns the instant as of which the timers begin: entries due before one that is still to be passed are due. */
  begin(bytes: Uint8Array | undefined, clock: Millis, positions: readonly number[]): Millis {
    this.#kept?.begin(bytes, clock, positions);
    this.#passesAt = this.#kept?.passesAt ?? Infinity;
    return Math.min(clock, this.#passesAt - 1);
  }

  /** As `Kept.restored`. */
  restored(): void {
    this.#kept?.restored();
  }

  /** When the clock has to get on for what is kept. */
  get dueAt(): Millis {
    return this.#kept?.dueAt ?? Infinity;
  }

  /** The kind's state beside its entries, as operators are shown it. */
  get shown(): readonly ShownEntry[] {
    return this.#kept?.shown() ?? [];
  }

  /** As the next commit carries it; undefined: nothing is kept. */
  bytes(): KeptBytes | undefined {
    return this.#kept?.bytes();
  }

  /** The commit with those bytes is in the log. */
  committed(): void {
    this.#kept?.committed();
  }

  /** True if `clock` has reached what may have to be passed: no record is taken before `aim` and `pass` have seen to it. */
  mustPass(clock: Millis): boolean {
    return this.#passesAt <= clock;
  }

  /** True if an instant is to be passed: until then `horizon` stays before it. */
  aim(clock: Millis, earliestDue: Millis): boolean {
    const kept = this.#kept;
    if (kept === undefined || !this.mustPass(clock)) return false;
    const at = kept.next(clock, earliestDue);
    this.#passesAt = kept.passesAt;
    this.#aim = at ?? Infinity;
    return at !== undefined;
  }

  /** Nothing due before the instant aimed at is left. */
  pass(clock: Millis, effects: Effects): void {
    const kept = this.#kept;
    assert(kept !== undefined && this.#aim <= clock, 'IN1: an instant is passed that the clock has reached');
    kept.pass(this.#aim, effects);
    this.#aim = Infinity;
    this.#passesAt = kept.passesAt;
  }

  /** The clock, as far as what is due may take effect by now. */
  horizon(clock: Millis): Millis {
    return Math.min(clock, this.#aim - 1);
  }
}
