// Mutants of tombstones, and of the header that names the incarnation.
import type { Mutable } from '@flatline/base';
import type { OutputRecord } from '@flatline/oracle';
import { mutant, type HistoryMutant } from '../../histories/history-mutant.ts';
import { closePairs } from './close-pairs.ts';

export const TOMBSTONES: readonly HistoryMutant[] = [
  mutant('O2', 'a tombstone is missing', ({ output }) => {
    const [, tombstone] = closePairs(output.records)[7]!;
    output.records = output.records.filter((record) => record !== tombstone);
  }),
  mutant('O2', 'a tombstone comes twice', ({ output }) => {
    const [, tombstone] = closePairs(output.records)[7]!;
    output.records.splice(output.records.indexOf(tombstone) + 1, 0, tombstone);
  }),
  mutant('O2', 'a tombstone comes before its summary', ({ output }) => {
    const [summary, tombstone] = closePairs(output.records)[7]!;
    const at = output.records.indexOf(summary);
    output.records.splice(at, 2, tombstone, summary);
  }),
  mutant('O2', 'a tombstone comes after they were turned off', ({ output }) => {
    const pairs = closePairs(output.records);
    const gone = new Set(pairs.slice(4).map(([, tombstone]) => tombstone));
    // In a later transaction than the first that lacks one.
    gone.delete(pairs.at(-1)![1]);
    output.records = output.records.filter((record) => !gone.has(record));
    return { rules: { tombstones: false } };
  }),
  mutant('O2', 'a tombstone before its summary, though they are turned off', ({ output }) => {
    const [summary, tombstone] = closePairs(output.records)[7]!;
    const at = output.records.indexOf(summary);
    output.records.splice(at, 2, tombstone, summary);
    return { rules: { tombstones: false } };
  }),
  mutant('O2', 'tombstones are missing, though they are turned on', ({ output }) => {
    output.records = output.records.filter(({ value }) => value !== null);
  }),
  mutant('O2', 'a header names another incarnation', ({ output }) => {
    const [summary] = closePairs(output.records)[7]!;
    (summary as Mutable<OutputRecord>).incarnation = '0-12345';
  }),
];
