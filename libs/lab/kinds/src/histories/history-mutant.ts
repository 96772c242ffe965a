// A correct history made wrong in one way, and the rule that must detect it.
import { assert, type Mutable } from '@flatline/base';
import type { BatchMark, InputTruth, LedgerLine, OutputRecord, ReachCounter } from '@flatline/oracle';
import type { CommonRules } from '@flatline/oracle/anatomy';
import type { RecordedPartition } from './recorded-partition.ts';

/** Facts given to the judge beside the logs. */
export interface Asked {
  readonly ledger?: readonly LedgerLine[];
  readonly reach?: Partial<Record<ReachCounter, number>>;
  /** Facts that the maker of the input knows. */
  readonly truth?: InputTruth;
  /** Rules that replace those that the history was recorded by. */
  readonly rules?: Partial<CommonRules>;
}

export interface HistoryMutant {
  readonly what: string;
  readonly rule: string;
  /** Changes the partition in place; a mutant that finds nothing to change fails. */
  readonly apply: (partition: RecordedPartition) => Asked | undefined;
}

export function mutant(rule: string, what: string, apply: HistoryMutant['apply']): HistoryMutant {
  return { rule, what, apply };
}

export function edit(record: OutputRecord, fields: Record<string, unknown> | undefined): void {
  (record as Mutable<OutputRecord>).summary = fields === undefined ? undefined : { ...record.summary, ...fields };
}

export function number({ summary }: OutputRecord, field: string): number {
  return Number(summary![field]);
}

/** The records with a value that has these fields. */
export function saying(records: readonly OutputRecord[], fields: Readonly<Record<string, unknown>>): OutputRecord[] {
  const found = records.filter(({ summary }) =>
    Object.entries(fields).every(([name, value]) => summary?.[name] === value),
  );
  assert(found.length > 0, 'the output has such a record', fields);
  return found;
}

/** Puts a record into the transaction of the first one, as if it had come then. */
export function sayFirst(records: OutputRecord[], record: OutputRecord): void {
  const { offset } = records[0]!;
  records.splice(records.indexOf(record), 1);
  records.splice(1, 0, { ...record, offset });
}

/** Repeats the record right behind itself. */
export function repeat(records: OutputRecord[], record: OutputRecord): void {
  records.splice(records.indexOf(record), 0, record);
}

export function drop(records: OutputRecord[], record: OutputRecord): void {
  records.splice(records.indexOf(record), 1);
}

export function endOf(batches: readonly BatchMark[]): number {
  return lastOf(batches).lastOffset + 1;
}

export function lastData(batches: readonly BatchMark[]): BatchMark {
  return batches.findLast(({ marker }) => marker === undefined)!;
}

export function transactionLike(batch: BatchMark, offset: number, records: number): BatchMark[] {
  const lastOffset = offset + records - 1;
  const marker = { ...batch, baseOffset: lastOffset + 1, lastOffset: lastOffset + 1, marker: 'commit' as const };
  return [{ ...batch, baseOffset: offset, lastOffset }, marker];
}

export function lastOf<T>(items: readonly T[]): T {
  const last = items.at(-1);
  assert(last !== undefined, 'there is something to change');
  return last;
}
