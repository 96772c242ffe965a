// Lets subscribers in at a rate: where many come back at once, each one that has to wait is told when its turn is.
import type { DurationMs } from '@flatline/base';

/** Whoever asks again before its turn is given another one: so no turn is later than this, whoever has asked how often. */
const AHEAD_MAX_MS: DurationMs = 40_000;

export interface AdmissionRules {
  readonly perSecond: number;
  /** Number let in at once after a while without any. */
  readonly burst: number;
}

export class Admission {
  readonly #eachMs: number;
  readonly #burstMs: number;
  /** When those that were let in are paid for. */
  #paidAtMs = -Infinity;
  /** The last turn that was given to one who has to wait. */
  #turnAtMs = -Infinity;

  constructor({ perSecond, burst }: AdmissionRules) {
    this.#eachMs = 1_000 / perSecond;
    this.#burstMs = burst * this.#eachMs;
  }

  /** 0: it is let in. Else after how long it may come again: turns are spread as those that are let in are. */
  ask(nowMs: DurationMs): DurationMs {
    const paidAtMs = Math.max(this.#paidAtMs, nowMs - this.#burstMs) + this.#eachMs;
    if (paidAtMs <= nowMs) {
      this.#paidAtMs = paidAtMs;
      return 0;
    }
    const turnAtMs = Math.max(this.#turnAtMs, paidAtMs) + this.#eachMs;
    // Later comers share the turns again, from the first one on.
    this.#turnAtMs = turnAtMs - nowMs > AHEAD_MAX_MS ? paidAtMs + this.#eachMs : turnAtMs;
    return this.#turnAtMs - nowMs;
  }
}
