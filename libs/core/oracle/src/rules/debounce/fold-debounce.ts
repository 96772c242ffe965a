// Folds one debounced input partition into the output expected of it, for callers that have all of it.
import { keyedRecord, type RawRecord } from '../../logs/raw-record.ts';
import { foldEntries } from '../fold-entries.ts';
import { windowEntries } from './debounce-reading.ts';
import type { DebounceFoldRules, FoldedBatch } from './naive-window.ts';

export interface DebounceFoldOptions {
  readonly partition: number;
  readonly rules: DebounceFoldRules;
  /** True if the broker stamped the records, false if producers did. */
  readonly logAppendTime: boolean;
}

export interface FoldedWindows {
  /** Records of the output, by key as text, in order. */
  readonly said: ReadonlyMap<string, readonly FoldedBatch[]>;
  /** Offsets of the records that belong to the dead letters. */
  readonly refused: readonly number[];
  /** Offsets of the items that were taken. */
  readonly taken: readonly number[];
}

/** `records`: committed, in offset order. */
export function foldDebounce(records: readonly RawRecord[], options: DebounceFoldOptions): FoldedWindows {
  const { partition, rules, logAppendTime } = options;
  const input = records.map((record) => keyedRecord(record));
  const { saidByText, refused, taken } = foldEntries(input, windowEntries(partition, rules), { logAppendTime });
  const items = new Set(records.flatMap(({ value, offset }) => (value === null ? [] : [offset])));
  return { said: saidByText, refused, taken: taken.filter((offset) => items.has(offset)) };
}
