// The changelog of one partition, in memory: what a task commits, and what another one is restored from.
//
// Owns: the blocks from the last commit's floor on.
// Does not own: their bytes' meaning (the task).
import type { KindOutput } from '@flatline/kinds';
import type { CommitHeader, PartitionTask, TaskCut } from '@flatline/partition';
import { Restoration } from '@flatline/partition';

const LOG = { logId: 'test', owner: 'test-pipeline' } as const;

/** Words of a commit. */
export interface Committed {
  readonly outputs: readonly KindOutput[];
  readonly deadLetters: TaskCut['deadLetters'];
}

export class MemoryChangelog {
  readonly #inputPartitions: number;
  #blocks: Uint8Array[] = [];
  /** Offset of the first of them. */
  #start = 0;
  #sequence = 0;
  #last: TaskCut['header'] | undefined;

  constructor(inputPartitions: number) {
    this.#inputPartitions = inputPartitions;
  }

  /** Header of the last commit; undefined: there is none. */
  get last(): TaskCut['header'] | undefined {
    return this.#last;
  }

  /** Commits what the task has taken since the last commit. */
  commit(task: PartitionTask): Committed {
    const sequence = this.#sequence;
    const previousCommitId = sequence === 0 ? '' : commitId(sequence - 1);
    const names = { ...LOG, inputPartitions: this.#inputPartitions, sequence, commitId: commitId(sequence) };
    const cut = task.cut({ ...names, previousCommitId });
    this.#sequence += 1;
    const end = this.#start + this.#blocks.length;
    // The task takes their memory back once they are in the log, and that of outputs.
    for (const { bytes } of cut.blocks) this.#blocks.push(bytes.slice());
    const outputs = [...cut.outputs];
    task.settle(
      cut,
      cut.blocks.map((_, i) => end + i),
    );
    this.#last = cut.header;
    this.#truncate(cut.header.floor);
    return { outputs, deadLetters: cut.deadLetters };
  }

  /** K4, without waiting: there is no other reader. */
  #truncate(floor: number): void {
    const gone = floor - this.#start;
    if (gone <= 0) return;
    this.#blocks = this.#blocks.slice(gone);
    this.#start = floor;
  }

  /** The header of the last commit, whose state `task` has now; undefined: there is none. @throws Error where the two disagree (R1) */
  restore(task: PartitionTask): CommitHeader | undefined {
    if (this.#blocks.length === 0) return undefined;
    const restoration = new Restoration(task.table, task.changelog, task.checkpoints);
    restoration.beginAt(this.#start);
    this.#blocks.forEach((block, i) => {
      const step = restoration.take(block, this.#start + i);
      if (step.kind === 'broken') throw new Error(`the changelog is broken: ${step.why}`);
      while (restoration.applyNext() > 0);
    });
    const disagreement = restoration.finish();
    if (disagreement !== undefined) throw new Error(`what was restored is not what was committed: ${disagreement}`);
    return restoration.last;
  }
}

function commitId(sequence: number): string {
  return `test-${sequence}`;
}
