/** The task must be dropped: what it did since its last commit is not in the log, and its owner will do it again. */
export interface LetGo {
  readonly kind: 'letGo';
  /**
   * The group gave the partition to another member; another owner has committed after it; its own claim is gone from the
   * changelog; its commit needs more time than the brokers grant. After the last two it may well be assigned to us again.
   */
  readonly because: 'reassigned' | 'overtaken' | 'tailLost' | 'tooSlow';
  readonly why: string;
}

export type TaskEnd = LetGo | { readonly kind: 'failed'; readonly error: unknown };

/** Events that the parts of a running task report to its loop. */
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
