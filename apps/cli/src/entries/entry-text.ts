// Entry of a key as a line for a person, or as JSON with the names of docs/FORMATS.md. Pure.
import type { KindName } from '@flatline/base';
import { type EntryColumn, kindOf, type Show } from '@flatline/kind-modules';
import { KIND_WORDS } from '@flatline/kind-modules/words';
import { entryFields, keyFields, type ShownEntry } from '@flatline/processor';
import { printable, printableKey } from '../terminal/printable.ts';
import { duration } from '../terminal/progress.ts';
import { type Table, type TableColumn, tableOf } from '../terminal/table.ts';

type Column = TableColumn<Row>;

interface Row {
  readonly key: Uint8Array;
  readonly entry: ShownEntry;
}

const KEY_WIDTH = { width: 28, least: 12 };
const INSTANT = /(At|Until)$/;
const SHOW: Show = { time: (at) => (at === undefined ? '' : time(at)), duration, attributes: pairs };

/** A line for each entry, at most `width` wide; Infinity: everything whole. */
export function entryTable(kind: KindName, width: number): Table<Row> {
  const key: Column = { name: KIND_WORDS[kind].noun, ...KEY_WIDTH, text: (row) => printableKey(row.key) };
  return tableOf([key, ...kindOf({ kind }).columns.map(columnOf)], width);
}

/** All of it, a line for each field that says something. */
export function entryDetails(key: Uint8Array, entry: ShownEntry): string {
  const fields = Object.entries(entry).filter(([, value]) => value !== undefined);
  const lines = fields.flatMap(([name, value]) => detailLines(name, value));
  return [['key', printableKey(key)] as const, ...lines].map(([name, text]) => `${name.padEnd(16)}${text}`).join('\n');
}

/** The fields that `--json` prints, with the key's bytes where they are no text. */
export function entryValue(key: Uint8Array, entry: ShownEntry): object {
  return { ...keyFields(key), ...entryFields(entry) };
}

function detailLines(name: string, value: unknown): (readonly [string, string])[] {
  if (name === 'headers')
    return (value as readonly { name: string; value: Uint8Array | null }[]).map((each) => [
      'header',
      `${printable(each.name)}: ${each.value === null ? '(null)' : printableKey(each.value)}`,
    ]);
  if (value instanceof Map && value.size === 0) return [];
  if (value instanceof Map) return [[name, printable(pairs(value))]];
  if (value instanceof Uint8Array) return [[name, printableKey(value)]];
  if (typeof value === 'number' && INSTANT.test(name)) return [[name, `${time(value)} UTC (${value})`]];
  if (typeof value === 'number' && name.endsWith('Ms')) return [[name, `${duration(value)} (${value})`]];
  if (Array.isArray(value)) return value.map((each) => [name, elementText(each)] as const);
  return [[name, printable(String(value))]];
}

/** As a waiter: its fields in one line, those that say nothing left out. */
function elementText(element: unknown): string {
  if (typeof element !== 'object' || element === null) return printable(JSON.stringify(element));
  const fields = Object.entries(element).filter(([, value]) => value !== undefined);
  return fields
    .flatMap(([name, value]) => detailLines(name, value))
    .map((field) => field.join(' '))
    .join(', ');
}

/** Escaped here: what a kind shows comes from records. */
function columnOf({ text, ...column }: EntryColumn): Column {
  return {
    ...column,
    text: ({ entry }) => {
      const said = text(entry, SHOW) ?? '';
      return said instanceof Uint8Array ? printableKey(said) : printable(String(said));
    },
  };
}

function pairs(attributes: unknown): string {
  return [...(attributes as ReadonlyMap<string, unknown>)].map(([name, value]) => `${name}=${String(value)}`).join(' ');
}

function time(at: unknown): string {
  const date = new Date(at as number);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString().slice(0, 19).replace('T', ' ');
}
