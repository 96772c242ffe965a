// Addresses that were asked in vain of late: a process that stands still takes connections and answers nothing, so each question to it
// costs all of its time. No one waits for an address that is silent; it is tried once in a while, beside.
//
// Owns: which addresses are silent, when each is tried next.
// Does not own: questions, and their time.
//
// Invariants
//   SE1  An address is silent only if nothing was heard from it while somebody waited for all of his time: a slow one is not.
//   SE2  A silent one is tried once in `TRIED_EVERY_MS`, so that it is found when it is back.
import type { DurationMs } from '@flatline/base';

const TRIED_EVERY_MS: DurationMs = 1_000;
/** Addresses of instances that have gone are forgotten beyond so many. */
const ENDPOINTS_MAX = 1_000;

interface Known {
  heardAtMs: DurationMs;
  /** undefined: it is not silent. */
  tryAtMs: DurationMs | undefined;
}

export class SilentEndpoints {
  readonly #known = new Map<string, Known>();

  isSilent(endpoint: string): boolean {
    return this.#known.get(endpoint)?.tryAtMs !== undefined;
  }

  /** True for one who comes in `TRIED_EVERY_MS`: he has it tried. */
  isTryDue(endpoint: string, nowMs: DurationMs): boolean {
    const known = this.#known.get(endpoint);
    if (known?.tryAtMs === undefined || nowMs < known.tryAtMs) return false;
    known.tryAtMs = nowMs + TRIED_EVERY_MS;
    return true;
  }

  /** It has said something, whatever that was, or refused the connection. */
  heard(endpoint: string, nowMs: DurationMs): void {
    this.#set(endpoint, { heardAtMs: nowMs, tryAtMs: undefined });
  }

  /** Nothing came within the time of a question. */
  waitedInVain(endpoint: string, askedAtMs: DurationMs, nowMs: DurationMs): void {
    const { heardAtMs = -Infinity } = this.#known.get(endpoint) ?? {};
    if (heardAtMs < askedAtMs) this.#set(endpoint, { heardAtMs, tryAtMs: nowMs + TRIED_EVERY_MS });
  }

  #set(endpoint: string, known: Known): void {
    this.#known.delete(endpoint);
    this.#known.set(endpoint, known);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= ENDPOINTS_MAX) return;
      this.#known.delete(oldest);
    }
  }
}
