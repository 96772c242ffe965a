// The input of one partition, a task that takes it, and what that has committed: what logs of a kind share in tests.
import type { RawRecord } from '@flatline/oracle';
import { NO_BATCH, type PartitionTask, Restoration, type TaskCut } from './index.ts';
import { applyBlock, begin, hold, rawOf, type TestRecord } from './task.fixture.ts';

export const PARTITION = 3;
export const WALL = 9e12;
const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };

export class TaskLog {
  readonly #newTask: () => PartitionTask;
  readonly #onOutput: (output: TaskCut['outputs'][number]) => void;
  readonly #records: TestRecord[] = [];
  /** The changelog. */
  readonly blocks: Uint8Array[] = [];
  /** Records that went to the dead letters, as commits say. */
  readonly refused: { readonly offset: number; readonly reason: string }[] = [];
  #taken = 0;
  #sequence = 0;
  task: PartitionTask;

  /** `onOutput` is called with each output of a commit, in order. */
  constructor(newTask: () => PartitionTask, onOutput: (output: TaskCut['outputs'][number]) => void) {
    this.#newTask = newTask;
    this.#onOutput = onOutput;
    this.task = newTask();
    begin(this.task, 0, START);
  }

  /** Returns its offset. A record without key gets the header of a clock record. */
  append(record: Omit<TestRecord, 'offset'>): number {
    const offset = this.#records.length;
    const clock = record.key === null ? [{ name: 'flatline-clock', value: null }] : [];
    this.#records.push({ ...record, offset, headers: [...(record.headers ?? []), ...clock] });
    return offset;
  }

  /** What was appended since `take`. */
  get untaken(): readonly TestRecord[] {
    return this.#records.slice(this.#taken);
  }

  take(): readonly TestRecord[] {
    const { untaken } = this;
    this.#taken = this.#records.length;
    return untaken;
  }

  /** Commits what the task has taken. */
  cut(): TaskCut {
    const { task } = this;
    hold(task.inspect());
    const sequence = this.#sequence;
    const names = { logId: 'log', owner: 'me', inputPartitions: 4, sequence, commitId: `run-${sequence}` };
    const cut = task.cut({ ...names, previousCommitId: sequence === 0 ? '' : `run-${sequence - 1}` });
    this.#sequence += 1;
    hold(task.inspect());
    for (const output of cut.outputs) this.#onOutput(output);
    this.refused.push(...cut.deadLetters.map(({ offset, reason }) => ({ offset, reason })));
    const first = this.blocks.length;
    for (const block of cut.blocks) this.blocks.push(block.bytes.slice());
    task.settle(
      cut,
      cut.blocks.map((_, i) => first + i),
    );
    hold(task.inspect());
    return cut;
  }

  /** Another task restores what is committed, and goes on. */
  restart(): void {
    const task = this.#newTask();
    this.task = task;
    if (this.blocks.length === 0) {
      begin(task, 0, START);
      return;
    }
    const restoration = new Restoration(task.table, task.changelog, task.checkpoints);
    this.blocks.forEach((block, offset) => {
      applyBlock(restoration, block, offset);
      hold([...restoration.inspect(), ...task.inspect()]);
    });
    const why = restoration.finish();
    if (why !== undefined) throw new Error(why);
    const last = restoration.last!;
    begin(task, last.clock, last.inputs[0]!, last);
    hold(task.inspect());
  }

  /** Bytes of the changelog so far. */
  get logBytes(): number {
    return this.blocks.reduce((sum, { length }) => sum + length, 0);
  }

  /** The input, as the oracle reads it. */
  raw(): RawRecord[] {
    return this.#records.map(rawOf);
  }
}
