import type { LetGo } from './commit-look-up.ts';

export type TaskEnd = LetGo | { readonly kind: 'failed'; readonly error: unknown };

/** What the parts of a running task tell its loop. */
export interface LoopEvents {
  /** Something may have changed: a turn is due. */
  readonly wake: () => void;
  /** The task cannot go on. Only the first error counts. */
  readonly end: (end: TaskEnd) => void;
}

/** For work that is not waited for: an unhandled rejection would end the process, this one ends the task. */
export function unattended(work: Promise<void>, { end }: LoopEvents): void {
  work.catch((error: unknown) => {
    end({ kind: 'failed', error });
  });
}
