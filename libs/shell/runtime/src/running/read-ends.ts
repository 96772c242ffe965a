// Waits until a task has read all that was acknowledged before somebody asked (Q2, proof=now).
//
// The leaders of the inputs say where the log ends; state is a function of the log (C5), so whoever has applied as much has the
// answer, deposed or not, and no lease on ownership is needed.
//
// Owns: who waits, the questions under way.
// Does not own: the position (PartitionTask), reading (InputFeed).
//
// Invariants
//   RE1  A question that was sent before somebody asked does not count for him: what was acknowledged meanwhile lies behind its
//        answer. All who come while one is under way share the next.
import type { PartitionTask } from '@flatline/partition';
import type { TaskContext } from '../task-context.ts';

export interface ReadEndsParts {
  readonly context: Pick<TaskContext, 'inputs' | 'ports'>;
  readonly task: PartitionTask;
}

type Ends = readonly number[];

export class ReadEnds {
  readonly #parts: ReadEndsParts;
  #sent: Promise<Ends> = Promise.resolve([]);
  #next: Promise<Ends> | undefined;
  /** All who share a question, by its answer. */
  readonly #waiting = new Map<Ends, Set<(isRead: boolean) => void>>();
  #hasEnded = false;

  constructor(parts: ReadEndsParts) {
    this.#parts = parts;
  }

  /**
   * Resolves with true once it is read, with false where the task ends before, or `abandon` is aborted. @throws Retriable,
   * PartitionStopped, Fatal
   */
  async reached(abandon: AbortSignal): Promise<boolean> {
    const ends = await this.#ask();
    if (this.#hasEnded || abandon.aborted) return false;
    if (this.#isRead(ends)) return true;
    const sharing = this.#waiting.get(ends) ?? new Set();
    this.#waiting.set(ends, sharing);
    return new Promise((resolve) => {
      const giveUp = (): void => {
        sharing.delete(tell);
        if (sharing.size === 0) this.#waiting.delete(ends);
        resolve(false);
      };
      const tell = (isRead: boolean): void => {
        abandon.removeEventListener('abort', giveUp);
        resolve(isRead);
      };
      sharing.add(tell);
      abandon.addEventListener('abort', giveUp);
    });
  }

  /** More may be read. */
  look(): void {
    for (const [ends, sharing] of this.#waiting) {
      // The ends of a later question are no earlier.
      if (!this.#isRead(ends)) return;
      this.#waiting.delete(ends);
      for (const tell of sharing) tell(true);
    }
  }

  /** Nothing more will be read. */
  end(): void {
    this.#hasEnded = true;
    for (const sharing of this.#waiting.values()) for (const tell of sharing) tell(false);
    this.#waiting.clear();
  }

  #ask(): Promise<Ends> {
    const { inputs, ports } = this.#parts.context;
    this.#next ??= this.#sent
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        this.#sent = Promise.all(inputs.map((input) => ports.admin.replicatedEnd(input)));
        return this.#sent;
      });
    return this.#next;
  }

  #isRead(ends: Ends): boolean {
    return ends.every((end, input) => this.#parts.task.inputAt(input).position >= end);
  }
}
