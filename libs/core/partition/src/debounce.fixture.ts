// A log of items, a task that debounces them, and what the oracle says of them.
import { type DebounceFoldRules, type FoldedBatch, foldDebounce } from '@flatline/oracle';
import { debounceKind, type DebounceRules } from '@flatline/kinds';
import type { DebouncedBatch, DebouncedBatchEncoder } from '@flatline/ports/formats';
import { NO_BATCH, PartitionTask, Restoration } from './index.ts';
import { applyBlock, begin, bytes, ListCursor, options, type TestRecord, text } from './task.fixture.ts';

const WALL = 9e12;
const START = { position: 0, checksum: 0, leaderEpoch: NO_BATCH, batchTimestamp: 0, live: false, origin: 0 };
const PARTITION = 3;
const BATCH_BYTES_MAX = 1_000;
const AROUND_BYTES = 100;
const ITEM_OVERHEAD_BYTES = 10;

export interface DebounceSettings {
  readonly rules?: Partial<DebounceRules>;
  readonly groupMax?: number;
  readonly logAppendTime?: boolean;
  readonly batchBytesMax?: number;
}

export type Headers = Readonly<Record<string, string>>;

export class DebounceLog {
  #rules: DebounceRules;
  readonly #groupMax: number;
  readonly #logAppendTime: boolean;
  readonly #batchBytesMax: number;
  readonly #encoder: DebouncedBatchEncoder;
  readonly #records: TestRecord[] = [];
  readonly #said = new Map<string, FoldedBatch[]>();
  readonly refused: { readonly offset: number; readonly reason: string }[] = [];
  readonly #encoded = new WeakMap<Uint8Array, DebouncedBatch>();
  readonly blocks: Uint8Array[] = [];
  #taken = 0;
  #sequence = 0;
  /** Batches encoded so far. */
  encodes = 0;
  task: PartitionTask;

  constructor(settings: DebounceSettings = {}) {
    const { rules, groupMax = 1, logAppendTime = true, batchBytesMax = BATCH_BYTES_MAX } = settings;
    const shape = { onOversize: 'flush', reducer: 'all', reduce: undefined, dedupeBy: undefined } as const;
    const defaults = { mode: 'trailing', waitMs: 1_000, maxWaitMs: 10_000, ...shape } as const;
    this.#rules = { ...defaults, maxItems: 1_000_000, maxBytes: 1_000_000, maxPartsBytes: 1e8, ...rules };
    this.#groupMax = groupMax;
    this.#logAppendTime = logAppendTime;
    this.#batchBytesMax = batchBytesMax;
    // The codecs are the shell's: only what a batch may hold counts here.
    this.#encoder = {
      batchBytesMax,
      aroundBytes: (keyLength) => AROUND_BYTES + keyLength,
      itemBytes: (_bytes, _start, length) => ITEM_OVERHEAD_BYTES + length,
      encode: (batch) => {
        this.encodes += 1;
        const value = new Uint8Array(batch.items.reduce((sum, item) => sum + item.value.length, 1));
        this.#encoded.set(value, {
          ...batch,
          items: batch.items.map(({ offset, timestamp, value: item }) => ({ offset, timestamp, value: item.slice() })),
        });
        return value;
      },
    };
    this.task = this.#newTask();
    begin(this.task, 0, START);
  }

  #newTask(): PartitionTask {
    const kind = debounceKind({ rules: this.#rules, encoder: this.#encoder, outputTopic: 'output' });
    const { input, ...others } = options({ partition: PARTITION });
    const timestampType = this.#logAppendTime ? 'LogAppendTime' : 'CreateTime';
    return new PartitionTask({ ...others, input: { ...input, timestampType }, kind });
  }

  /** Appends a record; key null: one that tells the time. Returns its offset. */
  add(timestamp: number, key: string | null, value: string | null = '', headers: Headers = {}): number {
    return this.addWith(timestamp, key, value, [headers]);
  }

  /** With headers that may have one name. */
  addWith(timestamp: number, key: string | null, value: string | null, headers: readonly Headers[]): number {
    const offset = this.#records.length;
    const all = headers.flatMap((each) => Object.entries(each));
    const sent = all.map(([name, of]) => ({ name, value: bytes(of) }));
    const clock = key === null ? [{ name: 'flatline-clock', value: null }] : [];
    const logAppendTime = this.#logAppendTime;
    this.#records.push({ offset, timestamp, key, value, headers: [...sent, ...clock], logAppendTime });
    return offset;
  }

  /** Takes what was added. */
  take(): void {
    const fresh = this.#records.slice(this.#taken);
    this.#taken = this.#records.length;
    if (fresh.length > 0) this.task.step(new ListCursor(fresh, this.#groupMax), 1e9, WALL);
  }

  /** Takes what was added, and commits. `drains`: lets what is due of other keys take effect, too. */
  commit(drains = true, sliceBytes = Infinity): void {
    const { task } = this;
    this.take();
    if (drains) this.drain();
    while (!task.prepareCut(sliceBytes));
    const sequence = this.#sequence;
    const names = { logId: 'log', owner: 'me', inputPartitions: 4, sequence, commitId: `run-${sequence}` };
    const cut = task.cut({ ...names, previousCommitId: sequence === 0 ? '' : `run-${sequence - 1}` });
    this.#sequence += 1;
    for (const { key, value } of cut.outputs) {
      const all = this.#said.get(text(key!)) ?? [];
      const { key: said, ...batch } = this.#encoded.get(value!)!;
      if (text(said) !== text(key!)) throw new Error('a batch names another key');
      this.#said.set(text(key!), [...all, batch]);
    }
    this.refused.push(...cut.deadLetters.map(({ offset, reason }) => ({ offset, reason })));
    for (const block of cut.blocks) this.blocks.push(block.bytes.slice());
    const first = this.blocks.length - cut.blocks.length;
    task.settle(
      cut,
      cut.blocks.map((_, i) => first + i),
    );
  }

  /** Lets what is due take effect. */
  drain(): void {
    while (this.task.expire(100, WALL));
  }

  /**
   * Takes what was added, and is killed before it commits, `slices` slices into its cut: another task restores what is committed,
   * and takes it again.
   */
  crash(slices = 0, sliceBytes = 1): void {
    const fresh = this.#records.slice(this.#taken);
    if (fresh.length > 0) this.task.step(new ListCursor(fresh, this.#groupMax), 1e9, WALL);
    if (slices > 0) this.drain();
    for (let slice = 0; slice < slices && !this.task.prepareCut(sliceBytes); slice += 1);
    this.restart();
  }

  /** Another task restores what is committed, and goes on, by other rules. */
  restart(changes: Partial<DebounceRules> = {}): void {
    this.#rules = { ...this.#rules, ...changes };
    const task = this.#newTask();
    this.task = task;
    if (this.blocks.length === 0) {
      begin(task, 0, START);
      return;
    }
    const restoration = new Restoration(task.table, task.changelog, task.checkpoints);
    this.blocks.forEach((block, offset) => applyBlock(restoration, block, offset));
    const why = restoration.finish();
    if (why !== undefined) throw new Error(why);
    const last = restoration.last!;
    begin(task, last.clock, last.inputs[0]!, last);
  }

  /** Bytes of the changelog so far. */
  get logBytes(): number {
    return this.blocks.reduce((sum, { length }) => sum + length, 0);
  }

  /** What was said of a key, in order. */
  said(key = 'k'): readonly FoldedBatch[] {
    return this.#said.get(key) ?? [];
  }

  all(): Readonly<Record<string, readonly FoldedBatch[]>> {
    return Object.fromEntries(this.#said);
  }

  /** The same by the rules, read a second time. */
  folded(): { readonly all: unknown; readonly refused: readonly number[]; readonly taken: readonly number[] } {
    const raw = this.#records.map(({ key, value, headers = [], logAppendTime = true, ...record }) => ({
      ...record,
      headers,
      logAppendTime,
      key: key === null ? null : bytes(key),
      value: value === null ? null : bytes(value),
    }));
    const rules: DebounceFoldRules = {
      ...this.#rules,
      roomFor: (key) => this.#batchBytesMax - 100 - key.length,
      sizeOf: (value) => value.length + 10,
    };
    const folding = { partition: PARTITION, rules, logAppendTime: this.#logAppendTime };
    const { said, refused, taken } = foldDebounce(raw, folding);
    return { all: Object.fromEntries([...said].filter(([, each]) => each.length > 0)), refused, taken };
  }
}

export const T = 1_000_000;
export const FLUSH = { 'flatline-command': 'FLUSH' };

/** Reason, when it fired, and what it holds. */
export function brief(said: readonly FoldedBatch[]): string[] {
  return said.map(({ reason, firedAt, items, part, last }) => {
    const parts = part === 0 && last ? '' : ` part ${part}${last ? ' (last)' : ''}`;
    return `${reason} ${firedAt - T}${parts} ${items.map(({ value }) => text(value)).join('')}`.trimEnd();
  });
}

export type Row = readonly [after: number, value: string | null, headers?: Headers];

/** What is said of a key with these records, and then `until`. */
export function history(settings: DebounceSettings, until: number, ...rows: readonly Row[]): DebounceLog {
  const log = new DebounceLog(settings);
  for (const [after, value, headers] of rows) log.add(T + after, 'k', value, headers);
  log.add(T + until, null);
  log.commit();
  return log;
}

export const waits = (ms: number | string): Headers => ({ 'flatline-wait-ms': String(ms) });
export const waitsAtMost = (ms: number | string): Headers => ({ 'flatline-max-wait-ms': String(ms) });

/** Joins texts, and fails at some. */
export const joined: DebounceRules['reduce'] = (before = '', { value }) => {
  const item = text(value);
  if (item === 'throw') throw new Error('no');
  if (item === 'promise') return Promise.resolve(item);
  return item === 'nothing' ? undefined : `${String(before)}${item}`;
};
