// The input of one partition, a task of some kind that takes it, what that has said, and what the oracle says of the same log.
import type { KindOutput } from '@flatline/kinds';
import type { RawRecord } from '@flatline/oracle';
import { type DeadLetter, NO_BATCH, type PartitionTask, Restoration, type TaskCut } from '../index.ts';
import { applyBlock, begin, hold, ListCursor, rawOf, type TestRecord, text } from '../task.fixture.ts';

export const PARTITION = 3;
export const WALL = 9e12;
const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };

export type { KindOutput as Output } from '@flatline/kinds';

/** Result of the oracle's fold of the log: what is said of each key, and which records it refuses. */
export interface Folded<Said> {
  readonly said: ReadonlyMap<string, readonly Said[]>;
  readonly refused: readonly number[];
}

export abstract class KindLog<Said, F extends Folded<Said> = Folded<Said>> {
  readonly #records: TestRecord[] = [];
  /** The changelog. */
  readonly blocks: Uint8Array[] = [];
  /** Records that went to the dead letters, as commits say. */
  readonly refused: { readonly offset: number; readonly reason: string }[] = [];
  /** Details of them, in the same order. */
  readonly details: string[] = [];
  /** The letters themselves, in the same order. */
  readonly letters: DeadLetter[] = [];
  readonly #said = new Map<string, Said[]>();
  #taken = 0;
  #sequence = 0;
  #task: PartitionTask | undefined;

  /** By the settings of now. */
  protected abstract newTask(): PartitionTask;
  /** An output of a commit. */
  protected abstract hear(output: KindOutput): Said;
  /** The same by the rules, read a second time. */
  protected abstract fold(input: readonly RawRecord[]): F;

  /** The first task begins with nothing as soon as it is asked for. */
  get task(): PartitionTask {
    if (this.#task === undefined) {
      this.#task = this.newTask();
      begin(this.#task, 0, START);
    }
    return this.#task;
  }

  /** Returns what was said of a key, in order. */
  said(key = 'k'): readonly Said[] {
    return this.#said.get(key) ?? [];
  }

  all(): Readonly<Record<string, readonly Said[]>> {
    return Object.fromEntries(this.#said);
  }

  /** Returns what the oracle says, in the form of `all` and `refused`. */
  folded(): Omit<F, 'said'> & { readonly all: Readonly<Record<string, readonly Said[]>> } {
    const { said, ...rest } = this.fold(this.#records.map(rawOf));
    return { ...rest, all: Object.fromEntries([...said].filter(([, each]) => each.length > 0)) };
  }

  /** Appends a record and returns its offset. A record without key gets the header of a clock record. */
  append(record: Omit<TestRecord, 'offset'>): number {
    const offset = this.#records.length;
    const clock = record.key === null ? [{ name: 'flatline-clock', value: null }] : [];
    this.#records.push({ ...record, offset, headers: [...(record.headers ?? []), ...clock] });
    return offset;
  }

  /** Records appended and not handed to the task yet. */
  get untaken(): readonly TestRecord[] {
    return this.#records.slice(this.#taken);
  }

  /** Returns a cursor over the untaken records, which then count as handed over. */
  protected handOver(groupMax: number, headersInBytes = true): { readonly count: number; readonly cursor: ListCursor } {
    const { untaken } = this;
    this.#taken = this.#records.length;
    return { count: untaken.length, cursor: new ListCursor(untaken, groupMax, headersInBytes) };
  }

  /** Commits what the task has taken. */
  protected settleCut(): { readonly cut: TaskCut; readonly outputs: readonly KindOutput[] } {
    const { task } = this;
    hold(task.inspect());
    const sequence = this.#sequence;
    const names = { logId: 'log', owner: 'me', inputPartitions: 4, sequence, commitId: `run-${sequence}` };
    const cut = task.cut({ ...names, previousCommitId: sequence === 0 ? '' : `run-${sequence - 1}` });
    this.#sequence += 1;
    hold(task.inspect());
    const outputs = [...cut.outputs];
    for (const output of outputs) {
      const key = text(output.key!);
      this.#said.set(key, [...(this.#said.get(key) ?? []), this.hear(output)]);
    }
    this.refused.push(...cut.deadLetters.map(({ offset, reason }) => ({ offset, reason })));
    this.details.push(...cut.deadLetters.map(({ detail }) => detail));
    this.letters.push(...cut.deadLetters);
    const first = this.blocks.length;
    for (const block of cut.blocks) this.blocks.push(block.bytes.slice());
    task.settle(
      cut,
      cut.blocks.map((_, i) => first + i),
    );
    hold(task.inspect());
    return { cut, outputs };
  }

  /** Another task restores what is committed, and goes on. */
  restart(): void {
    const task = this.newTask();
    this.#task = task;
    if (this.blocks.length === 0) {
      begin(task, 0, START);
      return;
    }
    const restoration = new Restoration(task.table, task.changelog, task.checkpoints);
    this.blocks.forEach((block, offset) => {
      applyBlock(restoration, block, offset);
      hold([...restoration.inspect(), ...task.inspect()]);
    });
    const why = restoration.finish() ?? task.whyUnreadable();
    if (why !== undefined) throw new Error(why);
    const last = restoration.last!;
    begin(task, last.clock, last.inputs[0]!, last);
    hold(task.inspect());
  }

  /** Bytes of the changelog so far. */
  get logBytes(): number {
    return this.blocks.reduce((sum, { length }) => sum + length, 0);
  }
}
