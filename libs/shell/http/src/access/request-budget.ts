// How much may be asked in a second. Pure: the time comes in.

/** The requests of one caller, or one connection, in the present second. */
export class Second {
  #second = -1;
  #taken = 0;

  /** False: more than `most` in this second. */
  take(most: number, nowMs: number): boolean {
    const second = Math.floor(nowMs / 1_000);
    this.#taken = this.#second === second ? this.#taken + 1 : 1;
    this.#second = second;
    return this.#taken <= most;
  }
}

/** Callers that are remembered: tokens are few, the subjects of an issuer may be many. The one that came first is forgotten first. */
const CALLERS_MAX = 10_000;

export class CallerBudgets {
  readonly #byName = new Map<string, Second>();

  of(name: string): Second {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const [first] = this.#byName.keys();
    if (this.#byName.size >= CALLERS_MAX && first !== undefined) this.#byName.delete(first);
    const second = new Second();
    this.#byName.set(name, second);
    return second;
  }
}
