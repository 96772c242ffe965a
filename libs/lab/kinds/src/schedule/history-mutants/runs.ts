// Mutants of runs and receipts: one too many, missing, too early, with other content (D1–D4).
import type { Mutable } from '@flatline/base';
import type { OutputRecord } from '@flatline/oracle';
import { textOf } from '@flatline/oracle/anatomy';
import { drop, mutant, type HistoryMutant, repeat, sayFirst } from '../../histories/history-mutant.ts';

export const RUNS: readonly HistoryMutant[] = [
  mutant('V1', 'a run is lost', ({ output }) => {
    drop(output.records, runs(output.records)[2]!);
  }),
  mutant('V1', 'a run comes twice', ({ output }) => {
    repeat(output.records, runs(output.records)[2]!);
  }),
  mutant('V1', 'a run that is numbered as another', ({ output }) => {
    const run = runs(output.records)[2]!;
    say(run, 'run', String(Number(said(run, 'run')) + 1));
  }),
  mutant('V1', 'a receipt is lost', ({ output }) => {
    drop(
      output.records,
      output.records.find((record) => said(record, 'receipt') === 'CANCELLED')!,
    );
  }),
  mutant('V1', 'a receipt for another record', ({ output }) => {
    const receipt = output.records.find((record) => said(record, 'receipt') === 'SCHEDULED')!;
    say(receipt, 'answers', '999999');
  }),
  mutant('V3', 'a run is due 1 ms early', ({ output }) => {
    const run = runs(output.records)[2]!;
    say(run, 'due-at', String(Number(said(run, 'due-at')) - 1));
  }),
  mutant('V3', 'a run comes transactions before it is due', ({ output }) => {
    sayFirst(output.records, runs(output.records).at(-1)!);
  }),
  mutant('V4', 'a run has another value', ({ output }) => {
    (runs(output.records)[2]! as Mutable<OutputRecord>).value = Uint8Array.of(1, 2, 3);
  }),
  mutant('V4', 'a run has lost a header of its message', ({ output }) => {
    const run = runs(output.records)[2]!;
    (run as Mutable<OutputRecord>).headers = run.headers!.filter(({ name }) => name !== 'trace');
  }),
  mutant('V4', 'the last run does not say so', ({ output }) => {
    const run = output.records.find((record) => said(record, 'last') !== undefined)!;
    (run as Mutable<OutputRecord>).headers = run.headers!.filter(({ name }) => name !== 'flatline-last');
  }),
  mutant('O2', 'a run has no key', ({ output }) => {
    (runs(output.records)[2]! as Mutable<OutputRecord>).key = null;
  }),
  mutant('O4', 'two runs of a key have changed places', ({ output }) => {
    const all = output.records;
    const at = all.findIndex(({ key, offset }, index) => {
      const next = all[index + 1];
      return next !== undefined && next.offset === offset + 1 && String(next.key) === String(key);
    });
    const [first, second] = [all[at]!, all[at + 1]!];
    all.splice(at, 2, { ...second, offset: first.offset }, { ...first, offset: second.offset });
  }),
];

function runs(records: readonly OutputRecord[]): OutputRecord[] {
  return records.filter((record) => said(record, 'run') !== undefined && said(record, 'last') === undefined);
}

function said({ headers = [] }: OutputRecord, wanted: string): string | undefined {
  const found = headers.find(({ name }) => name === `flatline-${wanted}`);
  return found === undefined || found.value === null ? undefined : textOf(found.value);
}

function say(record: OutputRecord, wanted: string, text: string): void {
  (record as Mutable<OutputRecord>).headers = record.headers!.map((header) =>
    header.name === `flatline-${wanted}` ? { ...header, value: new TextEncoder().encode(text) } : header,
  );
}
