// A log of items, a task that debounces them, and what the oracle says of them.
import type { RawRecord } from '@flatline/oracle';
import { type DebounceFoldRules, type FoldedBatch, foldDebounce } from '@flatline/oracle/debounce';
import { debounceKind, type DebounceRules } from '@flatline/kinds/debounce';
import type { DebouncedBatch, DebouncedBatchEncoder } from '@flatline/ports/formats';
import { PartitionTask } from '../../index.ts';
import { rulesOf } from '../reducer-rules.fixture.ts';
import { type Folded, KindLog, type Output, PARTITION, WALL } from '../kind-log.fixture.ts';
import { bytes, ListCursor, options, text } from '../../task.fixture.ts';

const BATCH_BYTES_MAX = 1_000;
const NUMBER_BYTES = 4;
const AROUND_BYTES = 100;
const ITEM_OVERHEAD_BYTES = 10;

export interface DebounceSettings {
  readonly rules?: Partial<DebounceRules>;
  readonly groupMax?: number;
  readonly logAppendTime?: boolean;
  readonly batchBytesMax?: number;
  readonly owedBytesMax?: number;
  readonly maxStateBytes?: number;
  readonly entriesMax?: number;
}

export type Headers = Readonly<Record<string, string>>;

interface FoldedWindows extends Folded<FoldedBatch> {
  readonly taken: readonly number[];
}

export class DebounceLog extends KindLog<FoldedBatch, FoldedWindows> {
  #rules: DebounceRules;
  readonly #groupMax: number;
  readonly #logAppendTime: boolean;
  readonly #batchBytesMax: number;
  readonly #owedBytesMax: number;
  #encoder: DebouncedBatchEncoder;
  /** By number, with which its value begins. */
  readonly #encoded: DebouncedBatch[] = [];
  readonly #entriesMax: number;
  /** Limit of tasks from now on. */
  maxStateBytes: number;
  /** Batches encoded so far. */
  encodes = 0;
  /** The bytes of each commit's outputs, and of its blocks. */
  readonly commits: { readonly said: number; readonly written: number }[] = [];

  constructor(settings: DebounceSettings = {}) {
    super();
    const { rules, groupMax = 1, logAppendTime = true, batchBytesMax = BATCH_BYTES_MAX } = settings;
    const { owedBytesMax = 1e9 } = settings;
    const shape = { onOversize: 'flush', reducer: 'all', reduce: undefined, dedupeBy: undefined } as const;
    const defaults = { mode: 'trailing', waitMs: 1_000, maxWaitMs: 10_000, ...shape } as const;
    this.#rules = { ...defaults, maxItems: 1_000_000, maxBytes: 1_000_000, maxPartsBytes: 1e8, ...rules };
    this.maxStateBytes = settings.maxStateBytes ?? Infinity;
    this.#entriesMax = settings.entriesMax ?? 1_000;
    this.#groupMax = groupMax;
    this.#logAppendTime = logAppendTime;
    this.#batchBytesMax = batchBytesMax;
    this.#owedBytesMax = owedBytesMax;
    // The codecs are the shell's: only what a batch may hold counts here.
    this.#encoder = {
      batchBytesMax,
      weighing: 0,
      aroundBytes: (keyLength) => AROUND_BYTES + keyLength,
      itemBytes: (_bytes, _start, length) => ITEM_OVERHEAD_BYTES + length,
      encode: (batch) => {
        this.encodes += 1;
        const value = new Uint8Array(batch.items.reduce((sum, item) => sum + item.value.length, NUMBER_BYTES));
        const items = batch.items.map(({ offset, timestamp, value: item }) => ({
          offset,
          timestamp,
          value: item.slice(),
        }));
        new DataView(value.buffer).setUint32(0, this.#encoded.push({ ...batch, items }) - 1);
        return value;
      },
    };
  }

  protected override newTask(): PartitionTask {
    const kind = debounceKind({ rules: this.#rules, encoder: this.#encoder, outputTopic: 'output' });
    const { input, ...others } = options({ partition: PARTITION });
    const timestampType = this.#logAppendTime ? 'LogAppendTime' : 'CreateTime';
    const state = { ...others.state, entriesMax: this.#entriesMax, stateBytesMax: this.maxStateBytes };
    const owedBytesMax = this.#owedBytesMax;
    const settings = this.#rules.reduced && JSON.stringify({ reduced: this.#rules.reduced });
    const changelog = { ...others.changelog, ...(settings !== undefined && { settings }) };
    return new PartitionTask({ ...others, owedBytesMax, input: { ...input, timestampType }, state, kind, changelog });
  }

  protected override hear({ key, value }: Output): FoldedBatch {
    const { key: said, ...batch } = this.#encoded[new DataView(value!.buffer).getUint32(0)]!;
    if (text(said) !== text(key!)) throw new Error('a batch names another key');
    return batch;
  }

  protected override fold(input: readonly RawRecord[]): FoldedWindows {
    const { reduced, ...own } = this.#rules;
    const rules: DebounceFoldRules = {
      ...own,
      ...(reduced && { reduced: rulesOf(reduced) }),
      roomFor: (key) => this.#batchBytesMax - 100 - key.length,
      sizeOf: (value) => value.length + 10,
    };
    return foldDebounce(input, { partition: PARTITION, rules, logAppendTime: this.#logAppendTime });
  }

  /** Appends a record; key null: one that tells the time. Returns its offset. */
  add(timestamp: number, key: string | null, value: string | null = '', headers: Headers = {}): number {
    return this.addWith(timestamp, key, value, [headers]);
  }

  /** With headers that may have one name. */
  addWith(timestamp: number, key: string | null, value: string | null, headers: readonly Headers[]): number {
    const all = headers.flatMap((each) => Object.entries(each));
    const sent = all.map(([name, of]) => ({ name, value: bytes(of) }));
    return this.append({ timestamp, key, value, headers: sent, logAppendTime: this.#logAppendTime });
  }

  /** Takes what was added, in several commits where what is owed comes first. */
  take(): void {
    const { count, cursor } = this.handOver(this.#groupMax);
    if (count === 0) return;
    for (let stop = this.#step(cursor); stop !== 'exhausted'; stop = this.#step(cursor))
      if (stop === 'full') this.cut();
      else if (stop === 'due') this.drain();
  }

  #step(cursor: ListCursor): string {
    return this.task.step(cursor, 1e9, WALL).kind;
  }

  /**
   * Takes what was added, and commits. `drains`: lets what is due of other keys take effect, too, and commits until all that is
   * owed is said.
   */
  commit(drains = true, sliceBytes = Infinity): void {
    this.take();
    if (drains) this.drain();
    this.cut(sliceBytes);
    while (drains && this.task.hasOwed) {
      this.drain();
      this.cut(sliceBytes);
    }
  }

  /** One commit of what was taken. */
  cut(sliceBytes = Infinity): void {
    while (!this.task.prepareCut(sliceBytes));
    const { outputs, cut } = this.settleCut();
    this.commits.push({ said: outputs.reduce((sum, { value }) => sum + value!.length, 0), written: cut.blockBytes });
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
    const { untaken } = this;
    if (untaken.length > 0) this.#step(new ListCursor(untaken, this.#groupMax));
    if (slices > 0) this.drain();
    for (let slice = 0; slice < slices && !this.task.prepareCut(sliceBytes); slice += 1);
    this.restart();
  }

  /** Another task restores what is committed, and goes on, by other rules, or with another format of the output. */
  override restart(changes: Partial<DebounceRules> = {}, format: Partial<DebouncedBatchEncoder> = {}): void {
    this.#rules = { ...this.#rules, ...changes };
    this.#encoder = { ...this.#encoder, ...format };
    super.restart();
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

/** Returns the log of a key with these records, up to `until`. */
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
  if (item === 'promise') return Promise.reject(new Error('later'));
  return item === 'nothing' ? undefined : `${String(before)}${item}`;
};
