// Looks at the state of a commit, together with where its outputs end: what follows that state are exactly the outputs from there
// on (Q3).
//
// Between two cuts the state is that of no commit: outputs that it has already brought about, and others that it has not, go out
// together. So who looks waits for the next cut, looks in the moment in which it is made, and hears once it is settled.
//
// Owns: who waits.
// Does not own: when a cut is made (CommitCycle), where outputs end (OutputEnd).
//
// Invariants
//   QC1  What is told was looked at with all of one commit applied and nothing else, and that commit is settled.
import type { OutputEnd } from './output-end.ts';

export interface CutLooksParts {
  readonly outputEnd: OutputEnd;
  /** `rest`: all that was applied is committed. `inFlight`: or on its way. */
  readonly state: () => 'rest' | 'inFlight' | 'uncut';
  /** Called where a cut is waited for. */
  readonly onAwaited: () => void;
}

/** Facts seen at a cut. */
export interface CutLook<T> {
  readonly looked: T;
  readonly outputEnd: number;
}

interface Seen<T> {
  readonly looked: T;
  readonly outputEnd: number | undefined;
}

interface Waiting {
  /** Looks at the state at the cut. */
  readonly look: () => void;
  /** `undefined`: the task has ended before. */
  readonly tell: (outputEnd: { readonly end: number | undefined } | undefined) => void;
}

export class CutLooks {
  readonly #parts: CutLooksParts;
  readonly #waiting = new Set<Waiting>();
  /** Have looked, at the cut that is on its way. */
  readonly #looked = new Set<Waiting>();
  #hasEnded = false;

  constructor(parts: CutLooksParts) {
    this.#parts = parts;
  }

  /** True if a cut is waited for: it comes sooner then. */
  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  /**
   * Calls `look` once or more, and resolves with what it returned last; with undefined where the task ends before, or `abandon` is
   * aborted. @throws what `look` throws; Retriable, PartitionStopped, Fatal of the leader
   */
  async take<T>(look: () => T, abandon: AbortSignal): Promise<CutLook<T> | undefined> {
    for (;;) {
      await unlessAborted(this.#parts.outputEnd.learn(), abandon);
      const seen = await this.#next(look, abandon);
      if (seen === undefined) return undefined;
      const { looked, outputEnd } = seen;
      if (outputEnd !== undefined) return { looked, outputEnd };
    }
  }

  #next<T>(look: () => T, abandon: AbortSignal): Promise<Seen<T> | undefined> | Seen<T> | undefined {
    if (this.#hasEnded || abandon.aborted) return undefined;
    const { state, outputEnd, onAwaited } = this.#parts;
    const at = state();
    if (at === 'rest') return { looked: look(), outputEnd: outputEnd.end };
    return new Promise((resolve, reject) => {
      let seen: { readonly looked: T } | undefined;
      const settle = (): void => {
        this.#waiting.delete(waiting);
        this.#looked.delete(waiting);
        abandon.removeEventListener('abort', giveUp);
      };
      const giveUp = (): void => {
        settle();
        resolve(undefined);
      };
      const waiting: Waiting = {
        look: () => {
          try {
            seen = { looked: look() };
          } catch (error) {
            settle();
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        },
        tell: (told) => {
          settle();
          resolve(told && seen && { looked: seen.looked, outputEnd: told.end });
        },
      };
      abandon.addEventListener('abort', giveUp);
      this.#waiting.add(waiting);
      // Nothing has come behind the cut that is on its way: this is its state.
      if (at === 'inFlight') this.cut();
      else onAwaited();
    });
  }

  /** A cut was made, and nothing applied since. */
  cut(): void {
    for (const waiting of [...this.#waiting]) {
      this.#waiting.delete(waiting);
      this.#looked.add(waiting);
      waiting.look();
    }
  }

  /** Its commit is settled. */
  settled(): void {
    const { end } = this.#parts.outputEnd;
    for (const { tell } of [...this.#looked]) tell({ end });
  }

  /** No further cut will be settled. */
  end(): void {
    this.#hasEnded = true;
    for (const { tell } of [...this.#waiting, ...this.#looked]) tell(undefined);
  }
}

/** Resolves with `work`, or as soon as `signal` is aborted. @throws as `work`, unless it was aborted before */
async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) {
    work.catch(() => undefined);
    return;
  }
  let giveUp = (): void => undefined;
  const aborted = new Promise<void>((resolve) => {
    giveUp = resolve;
    signal.addEventListener('abort', giveUp);
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
