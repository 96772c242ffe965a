// Mutants of batches: an item in none, in two, in another; a batch too many, missing, too early (B1–B4).
import type { OutputRecord } from '@flatline/oracle';
import {
  drop,
  edit,
  mutant,
  type HistoryMutant,
  number,
  repeat,
  saying,
  sayFirst,
} from '../../histories/history-mutant.ts';

type Item = Readonly<Record<string, unknown>>;

export const BATCHES: readonly HistoryMutant[] = [
  mutant('V1', 'a batch is lost', ({ output }) => {
    drop(output.records, saying(output.records, { reason: 'QUIET' })[1]!);
  }),
  mutant('V1', 'a batch comes twice', ({ output }) => {
    repeat(output.records, saying(output.records, { reason: 'QUIET' })[1]!);
  }),
  mutant('V1', 'a window that is cancelled is not said', ({ output }) => {
    drop(output.records, saying(output.records, { reason: 'CANCELLED' })[0]!);
  }),
  mutant('V1', 'a batch of a window that never was', ({ output }) => {
    edit(saying(output.records, { reason: 'QUIET' })[1]!, { windowId: '0-999999' });
  }),
  mutant('V3', 'a window fires 1 ms early', ({ output }) => {
    const fired = saying(output.records, { reason: 'QUIET' })[1]!;
    edit(fired, { firedAt: number(fired, 'firedAt') - 1 });
  }),
  mutant('V3', 'a window fires transactions before its wait is over', ({ output }) => {
    sayFirst(output.records, saying(output.records, { reason: 'QUIET' }).at(-1)!);
  }),
  mutant('V4', 'an item is in no batch', ({ output }) => {
    changeItems(several(output.records), (items) => items.slice(1));
  }),
  mutant('V4', 'an item is in a batch twice', ({ output }) => {
    changeItems(several(output.records), (items) => [items[0]!, ...items]);
  }),
  mutant('V4', 'two items have changed places', ({ output }) => {
    changeItems(several(output.records), ([first, second, ...others]) => [second!, first!, ...others]);
  }),
  mutant('V4', 'an item of one batch is in another', ({ output }) => {
    const [from, to] = output.records.filter((record) => itemsOf(record).length > 1);
    const [item] = itemsOf(from!);
    changeItems(to!, (items) => [item!, ...items]);
  }),
  mutant('V4', 'an item has another value', ({ output }) => {
    changeItems(several(output.records), ([first, ...others]) => [{ ...first, value: 'another' }, ...others]);
  }),
  mutant('V4', 'another count', ({ output }) => {
    const fired = several(output.records);
    edit(fired, { count: number(fired, 'count') - 1 });
  }),
  mutant('V4', 'another reason', ({ output }) => {
    edit(saying(output.records, { reason: 'MAX_ITEMS' })[0]!, { reason: 'FLUSHED' });
  }),
  mutant('V4', 'a window that opened at another time', ({ output }) => {
    const fired = saying(output.records, { reason: 'QUIET' })[0]!;
    edit(fired, { openedAt: number(fired, 'openedAt') + 1 });
  }),
  mutant('V4', 'a batch that is none', ({ output }) => {
    edit(saying(output.records, { reason: 'QUIET' })[0]!, undefined);
  }),
  mutant('O2', 'a tombstone follows a batch', ({ output }) => {
    const fired = several(output.records);
    output.records.splice(output.records.indexOf(fired) + 1, 0, { ...fired, value: null, summary: undefined });
  }),
];

function itemsOf({ summary }: OutputRecord): readonly Item[] {
  return (summary?.['items'] ?? []) as readonly Item[];
}

function several(records: readonly OutputRecord[]): OutputRecord {
  return records.find((record) => itemsOf(record).length > 2)!;
}

function changeItems(record: OutputRecord, how: (items: readonly Item[]) => readonly Item[]): void {
  edit(record, { items: how(itemsOf(record)) });
}
