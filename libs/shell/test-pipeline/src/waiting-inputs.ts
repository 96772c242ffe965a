// Records of a partition's inputs that a task has yet to read.
//
// Owns: where each input ends, what of it waits, how far the record in hand is read.
// Does not own: the order of several inputs (PartitionTask), when anything comes.
import { assert, type Millis } from '@flatline/base';
import type { PartitionTask, StepOutcome } from '@flatline/partition';
import { STEP_RECORDS_MAX } from './limits.ts';
import { type InputRecord, MemoryCursor } from './memory-cursor.ts';

interface WaitingInput {
  readonly records: InputRecord[];
  cursor: MemoryCursor | undefined;
  /** Where the next record will lie. */
  end: number;
}

export class WaitingInputs {
  readonly #all: readonly WaitingInput[];
  readonly #byBroker: boolean;

  constructor(count: number, byBroker: boolean) {
    this.#all = Array.from({ length: count }, () => ({ records: [], cursor: undefined, end: 0 }));
    this.#byBroker = byBroker;
  }

  get count(): number {
    return this.#all.length;
  }

  endOf(input: number): number {
    return this.#all[input]!.end;
  }

  add(record: InputRecord, input: number): void {
    const of = this.#all[input]!;
    assert(record.offset >= of.end, 'offsets grow', { offset: record.offset });
    of.end = record.offset + 1;
    of.records.push(record);
  }

  /** Has another task read on from the last commit. */
  beginAgain(): void {
    for (const of of this.#all) of.cursor = undefined;
  }

  /** True once all is read that can be: of several inputs, one may hold up another's records (S8). `onRead`: a record is taken. */
  read(task: PartitionTask, now: Millis, onRead: () => void): boolean {
    while (this.#all.some(({ records }) => records.length > 0)) {
      const stepped = this.#step(task, now);
      if (stepped === 'awaiting') return true;
      const [of, outcome] = stepped;
      if (outcome.kind !== 'exhausted') {
        const isExpected = outcome.kind === 'limit' || outcome.kind === 'full' || outcome.kind === 'due';
        assert(isExpected, 'no record waits for more', { outcome });
        return false;
      }
      of.cursor = undefined;
      of.records.shift();
      onRead();
    }
    return true;
  }

  #step(task: PartitionTask, now: Millis): 'awaiting' | readonly [WaitingInput, StepOutcome] {
    const cursors = this.#all.map((of) => {
      const [record] = of.records;
      return record && (of.cursor ??= new MemoryCursor(record, this.#byBroker));
    });
    const [first] = this.#all;
    if (this.#all.length === 1) return [first!, task.step(cursors[0]!, STEP_RECORDS_MAX, now)];
    const outcome = task.stepMerged(cursors, STEP_RECORDS_MAX, now);
    if (outcome.kind === 'awaiting') return 'awaiting';
    return outcome.kind === 'limit' ? [first!, outcome] : [this.#all[outcome.input]!, outcome.outcome];
  }
}
