// `flatline top` on a terminal, as lines: all partitions, or all that is said of one. Pure.
import { count, type Millis } from '@flatline/base';
import type { Seen } from './application-look.ts';
import { heldText, type PartitionRow } from './partition-rows.ts';
import type { Colors } from '../terminal/console.ts';
import { padded, printable, shorten } from '../terminal/printable.ts';
import { tableOf } from '../terminal/table.ts';
import { ORDERS, stateOf, topColumns } from './top-columns.ts';
import { chosenAt, ordered, type TopState } from './top-state.ts';

export interface TopPicture {
  /** The last sight; undefined: none yet. */
  readonly seen: Seen | undefined;
  /** Why the last look found nothing. */
  readonly gone: string | undefined;
  readonly state: TopState;
  readonly now: Millis;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

const KEYS = '↑↓ choose  ⏎ look into  ← → order  r turn round  q end';
const OPEN_KEYS = '↑↓ another  esc all  q end';
/** Width of a value in a partition's detail: an instant. */
const VALUE_COLUMNS = 24;
/** Histograms say more as percentiles, which are beside them. */
const LEFT_OUT = /atMost|sumMs$/;

/** At most `rows` lines of at most `columns`. */
export function topLines(picture: TopPicture, colors: Colors, size: Size): readonly string[] {
  const { seen, gone, state, now } = picture;
  const cut = (text: string): string => shorten(text, size.columns);
  const partitions = ordered(seen?.partitions ?? [], state);
  const chosen = chosenAt(state, partitions);
  const row = partitions[chosen];
  const isOpen = state.isOpen && row !== undefined;
  const head = [...headOf(seen, gone).map((line) => colors.bold(cut(line))), ''];
  const foot = ['', colors.dim(cut(isOpen ? OPEN_KEYS : KEYS))];
  const room = Math.max(1, size.rows - head.length - foot.length);
  const body = isOpen
    ? detailOf(row, colors, { ...size, rows: room })
    : tableLines(partitions, chosen, colors, { state, now, size: { ...size, rows: room } });
  return [...head, ...body, ...foot].slice(0, size.rows);
}

function headOf(seen: Seen | undefined, gone: string | undefined): string[] {
  const troubles = (seen?.instances ?? []).flatMap(({ reasons, warnings }) => [...reasons, ...warnings]);
  const unseen = (seen?.unseen ?? []).map(
    ({ instance, address, why }) => `${instance || address} is not shown: ${why}`,
  );
  return [
    ...(seen?.instances ?? []).map(
      ({ instance, address, ready }) =>
        `${instance} at ${address} is ${ready ? 'ready' : 'not ready'}: ${heldText(ofInstance(seen!, instance))}`,
    ),
    ...(gone === undefined ? [] : [`! ${gone}; looking again`]),
    ...[...troubles, ...unseen].map((each) => `! ${each}`),
  ].map(printableText);
}

function ofInstance({ instances, partitions }: Seen, instance: string): readonly PartitionRow[] {
  return instances.length === 1 ? partitions : partitions.filter((row) => row.instance === instance);
}

interface Table {
  readonly state: TopState;
  readonly now: Millis;
  readonly size: Size;
}

/** The window of rows that has the cursor in it, under their heading. */
function tableLines(rows: readonly PartitionRow[], chosen: number, colors: Colors, table: Table): string[] {
  const { state, now, size } = table;
  const { name } = ORDERS[state.order]!;
  // Two columns for the cursor.
  const { heading, line } = tableOf(topColumns(colors, { name, isTurned: state.isTurned }, now), size.columns - 2);
  const room = Math.max(1, size.rows - 1);
  const first = Math.max(0, Math.min(chosen - Math.floor(room / 2), rows.length - room));
  const shown = rows.slice(first, first + room);
  return [
    colors.dim(`  ${heading}`),
    ...shown.map((row, at) => (first + at === chosen ? `${colors.cyan('▶')} ${line(row)}` : `  ${line(row)}`)),
  ];
}

/** All that the owner says of a partition, name by name, in as many columns as fit; counters that stand at 0 say nothing. */
function detailOf(row: PartitionRow, colors: Colors, { columns, rows }: Size): string[] {
  const why = row.detail === undefined ? '' : `: ${row.detail}`;
  const title = `${row.pipeline}/${row.partition}, ${stateOf(row)}${why}`;
  const said = leavesOf(row).filter(([name, value]) => !LEFT_OUT.test(name) && !(isCounter(name) && value === '0'));
  const names = Math.max(...said.map(([name]) => name.length));
  const fit = Math.max(1, Math.floor(columns / (names + VALUE_COLUMNS + 3)));
  const height = Math.min(Math.max(1, rows - 2), Math.ceil(said.length / fit));
  const value = Math.max(1, Math.floor(columns / fit) - names - 3);
  const cell = ([name, text]: readonly [string, string]): string =>
    `${colors.dim(padded(name, names))} ${padded(shorten(text, value), value)}`;
  const lines = Array.from({ length: height }, (_, line) =>
    Array.from({ length: fit }, (__, column) => said[column * height + line])
      .flatMap((each) => (each === undefined ? [] : [cell(each)]))
      .join('  ')
      .trimEnd(),
  );
  return [colors.cyan(shorten(printableText(title), columns)), '', ...lines];
}

function isCounter(name: string): boolean {
  return name.startsWith('counters.');
}

/** Members of an object, and of those in it, by the way to them. */
function leavesOf(value: object, way = ''): (readonly [name: string, value: string])[] {
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    const at = way === '' ? name : `${way}.${name}`;
    if (typeof member === 'object' && member !== null && !Array.isArray(member)) return leavesOf(member, at);
    return [[printable(at), printableText(textOf(name, member))] as const];
  });
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return JSON.stringify(value);
  // An instant: digits grouped by thousands say nothing.
  if (/clock|At$/i.test(name) && value > 1e11) return new Date(value).toISOString();
  return Number.isInteger(value) ? count(value) : value.toFixed(2);
}

function printableText(text: string): string {
  return printable(text).replaceAll('\\\\', '\\');
}
