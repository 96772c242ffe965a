// Folds one input partition into all that a pipeline of any kind must say of it, and all that it leaves open, for callers that
// hold the whole input. It is the fold that the checker follows commit by commit.
import type { Millis } from '@flatline/base';
import type { InputRecord, InputTruth } from '../logs/history.ts';
import { asRefused, type InputFold } from '../rules/input-fold.ts';
import { type JudgedRules, readingOf } from './kinds.ts';

export interface KindFoldOptions {
  readonly partition: number;
  readonly rules: JudgedRules;
  /** Records below it do not count (R3). Default: 0. */
  readonly origin?: number;
  /** Default: none. */
  readonly refusalOf?: InputTruth['refusalOf'];
  /** I7: true if the processor says that there was no room for a state, where the fold does not compute the sizes of states. */
  readonly saysFull?: (offset: number) => boolean;
  /** C3: the clock behind the last record, moved by evidence that is in no record. Default: no such evidence. */
  readonly clockAtEnd?: Millis;
}

export interface KindFolded {
  /** Number of records with a value that the output must have. */
  readonly said: number;
  /** The instant until which each live key lives, by its key as text; Infinity: for good. */
  readonly open: ReadonlyMap<string, Millis>;
  /** Offsets of the records that belong in the dead letters. */
  readonly refused: readonly number[];
  /** The clock after each record. */
  readonly steps: readonly { readonly offset: number; readonly clock: Millis }[];
  /** Number of due instants that the clock has brought about, whether or not anything is said of them. */
  readonly dues: number;
}

/** `records`: committed, in offset order. */
export function foldKind(records: Iterable<InputRecord>, options: KindFoldOptions): KindFolded {
  const { partition, rules, origin = 0, clockAtEnd = 0 } = options;
  const counts = { opened: 0, duplicates: 0, badRecords: 0, clockRecords: 0, formerTypeRecords: 0 };
  const { fold } = readingOf(partition, rules, counts);
  const steps: { readonly offset: number; readonly clock: Millis }[] = [];
  for (const record of records) {
    if (record.offset < origin || fold.isFormer(record)) continue;
    take(fold, record, options);
    steps.push({ offset: record.offset, clock: fold.clock });
  }
  fold.advance(clockAtEnd);
  fold.lapseAll();
  return {
    said: fold.takeExpected().filter(({ isTombstone = false }) => !isTombstone).length,
    open: new Map([...fold.lives()].map(({ text, dueAt }) => [text, dueAt])),
    refused: fold.takeBad(),
    steps,
    dues: fold.dues,
  };
}

function take(fold: InputFold, record: InputRecord, { refusalOf, saysFull }: KindFoldOptions): void {
  const refusal = refusalOf?.(record);
  const isSaidFull = fold.weighsExactly ? undefined : saysFull?.(record.offset);
  if (refusal === 'stamp') fold.refuse(record);
  else fold.record(refusal === 'content' ? asRefused(record) : record, Infinity, isSaidFull, true);
}
