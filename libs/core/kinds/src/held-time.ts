// Time in which no heartbeat could be heard, taken out of every deadline (C8).
//
// While sessions live, the owner lets at most a third of `unheardMs` pass between records of the log. A longer gap therefore
// says that the log could not be written, or that no owner listened. Its first `unheardMs` count; the rest, up to `maxHoldMs`,
// is held: as if the clock had stood still.
//
// Owns: the holds so far.
// Does not own: the clock, which is told of here after each record that moved it.
//
// Invariants
//   HT1  Holds are disjoint, in order, and begin at or after the clock before their gap: a hold moves no instant that the
//        clock had reached before it was known, so that what was drained early or late comes out the same (C5).
//   HT2  At most HOLDS_MAX. Beyond, the two oldest and what lies between them become one: a session that lived through
//        all of them gets more time, never less. That breaks HT1, and which two they are depends on what lived in each gap: what
//        is due has to be closed before (`isGap`).
import { assert, type DurationMs, type Millis } from '@flatline/base';

export interface HeldTimeRules {
  /** 0: off. */
  readonly unheardMs: DurationMs;
  /** Longest hold for one gap. */
  readonly maxHoldMs: DurationMs;
}

/** From `from` on, `ms` do not count. */
export interface Hold {
  readonly from: Millis;
  readonly ms: DurationMs;
}

/** Held time as block headers carry it. */
export interface HeldState {
  /** Total time ever held, including holds that were forgotten. */
  readonly heldMs: DurationMs;
  readonly holds: readonly Hold[];
}

/** How deadlines are reckoned. */
export interface Reckoning {
  /**
   * The first instant by which `ms` that count have passed since `from`. `asOf`: as far as it was known when the clock
   * reached that instant, whatever came since: what is said of the future must not depend on when it is drained (C5).
   */
  after(from: Millis, ms: DurationMs, asOf?: Millis): Millis;
  /** How much of the time between the two does not count; 0 where `to` is not after `from`. */
  between(from: Millis, to: Millis): DurationMs;
}

export const NOTHING_HELD: Reckoning = { after: (from, ms) => from + ms, between: () => 0 };

const HOLDS_MAX = 64;

export class HeldTime implements Reckoning {
  readonly #rules: HeldTimeRules;
  #holds: Hold[] = [];
  #heldMs = 0;
  /** Where the last hold ends: none concerns a session seen since. */
  #end: Millis = -Infinity;
  #isBegun = false;

  constructor(rules: HeldTimeRules) {
    this.#rules = rules;
  }

  get state(): HeldState {
    return { heldMs: this.#heldMs, holds: [...this.#holds] };
  }

  get heldMs(): DurationMs {
    return this.#heldMs;
  }

  restore(state: HeldState): void {
    this.reckonAsOf(state);
    this.#isBegun = true;
  }

  /** Before `restore`, any number of times: deadlines are reckoned as of a commit of another owner, which holds come after. */
  reckonAsOf({ heldMs, holds }: HeldState): void {
    assert(!this.#isBegun || this.#heldMs === 0, 'held time is restored once, at the beginning');
    this.#heldMs = heldMs;
    this.#holds = [...holds];
    this.#noteEnd();
  }

  /** A record moved the clock while sessions lived. */
  moved(before: Millis, after: Millis): void {
    if (!this.isGap(before, after)) return;
    this.#isBegun = true;
    const { unheardMs, maxHoldMs } = this.#rules;
    const ms = Math.min(after - before - unheardMs, maxHoldMs);
    this.#holds.push({ from: before + unheardMs, ms });
    this.#heldMs += ms;
    if (this.#holds.length > HOLDS_MAX) this.#joinOldest();
    this.#noteEnd();
  }

  /** True if `moved` would hold any of that time. */
  isGap(before: Millis, after: Millis): boolean {
    const { unheardMs } = this.#rules;
    // At 0 nothing has been read yet, so there is no gap.
    return unheardMs > 0 && before > 0 && after - before > unheardMs;
  }

  after(from: Millis, ms: DurationMs, asOf: Millis = Infinity): Millis {
    const due = from + ms;
    return this.#end <= from ? due : this.#later(from, due, asOf);
  }

  between(from: Millis, to: Millis): DurationMs {
    let sum = 0;
    for (const hold of this.#holds) sum += Math.max(0, Math.min(hold.from + hold.ms, to) - Math.max(hold.from, from));
    return sum;
  }

  #later(from: Millis, dueWithout: Millis, asOf: Millis): Millis {
    // A gap that began before that instant was known when the clock reached it: its end did so, at the latest.
    const knownBelow = asOf + this.#rules.unheardMs;
    let due = dueWithout;
    for (const hold of this.#holds) {
      const start = Math.max(hold.from, from);
      if (due <= start || hold.from >= knownBelow) break;
      due += Math.max(0, hold.from + hold.ms - start);
    }
    return due;
  }

  #joinOldest(): void {
    const [first, second, ...others] = this.#holds;
    const joined = { from: first!.from, ms: second!.from + second!.ms - first!.from };
    this.#holds = [joined, ...others];
  }

  #noteEnd(): void {
    const last = this.#holds.at(-1);
    this.#end = last === undefined ? -Infinity : last.from + last.ms;
  }
}
