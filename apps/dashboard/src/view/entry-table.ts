// Entries by row, as they were listed.
import { h, type ComponentChild } from 'preact';
import { useMemo } from 'preact/hooks';
import { type Column, columnsOf, dueWord, type Entry, keyOf } from '../model/entry.ts';
import { facts } from './state.ts';
import { rowIndex, type WindowedHead, WindowedTable } from './windowed-table.ts';

interface EntryTableProps {
  readonly kind: string;
  readonly entries: readonly Entry[];
  /** When they were listed. */
  readonly atMs: number;
  readonly show: (entry: Entry) => void;
}

const KEY: WindowedHead = { text: 'Key', share: 16 };
const DUE: WindowedHead = { text: 'Due', share: 12 };
const PARTITION: WindowedHead = { text: 'Partition', share: 6, isFigure: true };
const SHARE = 10;
const FIGURE_SHARE = 5.5;

export function EntryTable({ kind, entries, atMs, show }: EntryTableProps): ComponentChild {
  const columns = useMemo(() => columnsOf(kind, entries), [kind, entries]);
  const own = columns.map(({ head, isFigure = false }) => ({
    text: head,
    share: isFigure ? FIGURE_SHARE : SHARE,
    isFigure,
  }));
  return h(WindowedTable, {
    label: 'next',
    heads: [KEY, DUE, ...own, PARTITION],
    count: entries.length,
    row: (at) => h(Row, { key: at, at, entry: entries[at]!, columns, atMs, show }),
  });
}

interface RowProps {
  readonly at: number;
  readonly entry: Entry;
  readonly columns: readonly Column[];
  readonly atMs: number;
  readonly show: (entry: Entry) => void;
}

/** Drawn again with the clock, whose fact it reads, and when it is another entry's; not when others are scrolled in. */
function Row({ at, entry, columns, atMs, show }: RowProps): ComponentChild {
  const press = (): void => {
    show(entry);
  };
  return h(
    'tr',
    { 'aria-rowindex': rowIndex(at) },
    h('th', { scope: 'row' }, h('button', { type: 'button', class: 'key', onClick: press }, keyOf(entry))),
    h('td', null, dueWord(entry, facts.instance?.wallMs ?? 0, atMs)),
    columns.map(({ head, of, isFigure }) => h('td', { key: head, class: isFigure ? 'number' : undefined }, of(entry))),
    h('td', { class: 'number' }, String(entry['partition'])),
  );
}
