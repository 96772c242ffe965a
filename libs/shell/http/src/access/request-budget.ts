// How much may be asked in a second. Pure: the time comes in.
//
// Owns: what each caller and each connection has asked in the present second.
// Does not own: what becomes of a request beyond it.

interface Second {
  second: number;
  taken: number;
}

/** Callers that are remembered: tokens are few, the subjects of an issuer may be many. The one that came first is forgotten first. */
const CALLERS_MAX = 10_000;

export class RequestBudget {
  readonly #perSecondMax: number;
  readonly #byCaller = new Map<string, Second>();
  readonly #byConnection = new WeakMap<object, Second>();

  constructor(perSecondMax: number) {
    this.#perSecondMax = perSecondMax;
  }

  /** Of one connection, whoever asks on it. False: too many. */
  connection(connection: object, nowMs: number): boolean {
    let used = this.#byConnection.get(connection);
    if (used === undefined) this.#byConnection.set(connection, (used = { second: 0, taken: 0 }));
    return this.#take(used, nowMs);
  }

  /** Of one caller, on all connections. False: too many. */
  caller(name: string, nowMs: number): boolean {
    let used = this.#byCaller.get(name);
    if (used === undefined) {
      const [first] = this.#byCaller.keys();
      if (this.#byCaller.size >= CALLERS_MAX && first !== undefined) this.#byCaller.delete(first);
      this.#byCaller.set(name, (used = { second: 0, taken: 0 }));
    }
    return this.#take(used, nowMs);
  }

  #take(used: Second, nowMs: number): boolean {
    const second = Math.floor(nowMs / 1_000);
    used.taken = used.second === second ? used.taken + 1 : 1;
    used.second = second;
    return used.taken <= this.#perSecondMax;
  }
}
