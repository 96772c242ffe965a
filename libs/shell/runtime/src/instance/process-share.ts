// Bounds on the tasks of all pipelines in a process together, and the present share of each (X6).
//
// Owns: memory for blocks, used by turns; which tasks have evictions under way.
// Does not own: tasks (PipelineInstance counts them), what any of them has.
import { ReusedMemory } from '@flatline/base';
import {
  COMMIT_BYTES_MAX,
  DEAD_LETTER_BYTES_MIN,
  DEAD_LETTER_BYTES_TOTAL,
  FLUSH_BYTES_MAX,
  FREE_BLOCK_BYTES_MAX,
  OUTPUT_BYTES_MIN,
  OUTPUT_BYTES_TOTAL,
  TAKEN_ROW_BYTES_MAX,
  TAKEN_ROW_BYTES_MIN,
  TAKEN_ROW_BYTES_TOTAL,
  type TaskBounds,
} from '../limits.ts';
import type { EvictingTurn } from '../running/eviction-pace.ts';

/** Tasks of one pipeline, by what they do now. */
export interface TaskCounts {
  readonly running: number;
  readonly standingBy: number;
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;

export class ProcessShare {
  readonly blockMemory = new ReusedMemory(FREE_BLOCK_BYTES_MAX);
  readonly #pipelines: TaskCounts[] = [];
  /** Tasks with evictions under way, each with a number of its own. */
  readonly #evicting = new Map<object, number>();
  #evictions = 0;

  /** A pipeline without tasks takes nothing from others: none ever leaves. */
  join(pipeline: TaskCounts): void {
    this.#pipelines.push(pipeline);
  }

  /** Bytes that a commit of one task may hold. */
  commitBytes({ commitBytesTotal }: TaskBounds): number {
    return Math.min(COMMIT_BYTES_MAX, commitBytesTotal / Math.max(1, this.#running));
  }

  /** Bytes of outputs of one task that may wait for a cut. */
  outputBytes({ outputBytesMax }: TaskBounds): number {
    return share(OUTPUT_BYTES_TOTAL, this.#running, { least: OUTPUT_BYTES_MIN, most: outputBytesMax });
  }

  /** Says of a task, named by an object of its own, whether it has evictions under way. */
  noteEvicting(task: object, isEvicting: boolean): void {
    if (!isEvicting) this.#evicting.delete(task);
    else if (!this.#evicting.has(task)) this.#evicting.set(task, (this.#evictions += 1));
  }

  /** When a task with evictions has its turn among those that have. */
  evictingTurn(task: object): EvictingTurn {
    // Multiples of the golden ratio lie evenly between 0 and 1, however many there are and whichever leave.
    const phase = ((this.#evicting.get(task) ?? 0) * GOLDEN) % 1;
    return { tasks: this.#evicting.size, phase };
  }

  /** Entries that evictions of one task end a second. */
  evictedPerSecond({ evictedPerSecond }: TaskBounds): number {
    return evictedPerSecond / Math.max(1, this.#evicting.size);
  }

  /** Bytes of dead letters of one task that may wait for a cut. */
  deadLetterBytes({ deadLetterBytesMax }: TaskBounds): number {
    return share(DEAD_LETTER_BYTES_TOTAL, this.#running, { least: DEAD_LETTER_BYTES_MIN, most: deadLetterBytesMax });
  }

  /** Bytes of rows that cuts of one task may take along for its local store. */
  takenRowBytes(): number {
    return share(TAKEN_ROW_BYTES_TOTAL, this.#all, { least: TAKEN_ROW_BYTES_MIN, most: TAKEN_ROW_BYTES_MAX });
  }

  /** Bytes of the changelog that one task's local store may lack. */
  flushBytes({ flushBytesTotal, flushBytesMin }: TaskBounds): number {
    return share(flushBytesTotal, this.#all, { least: flushBytesMin, most: FLUSH_BYTES_MAX });
  }

  get #running(): number {
    return this.#pipelines.reduce((sum, { running }) => sum + running, 0);
  }

  get #all(): number {
    return this.#pipelines.reduce((sum, { running, standingBy }) => sum + running + standingBy, 0);
  }
}

function share(
  total: number,
  tasks: number,
  { least, most }: { readonly least: number; readonly most: number },
): number {
  return Math.min(most, Math.max(least, Math.floor(total / Math.max(1, tasks))));
}
