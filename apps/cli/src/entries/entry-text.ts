// Entry of a key as a line for a person, or as JSON with the names of docs/FORMATS.md. Pure.
import type { PipelineConfig } from '@flatline/config';
import type { ShownEntry } from '@flatline/processor';
import { isUtf8 } from 'node:buffer';
import { bytesValue } from '../dead-letters/letter-text.ts';
import { printable, printableKey } from '../terminal/printable.ts';
import { duration } from '../terminal/progress.ts';
import { type Table, type TableColumn, tableOf } from '../terminal/table.ts';

type Kind = PipelineConfig['kind'];

type Column = TableColumn<Row>;

interface Row {
  readonly key: Uint8Array;
  readonly entry: ShownEntry;
}

const KEY_WIDTH = { width: 28, least: 12 };
/** For what is last in a line, and may be long. */
const VALUE_WIDTH = { width: 60, least: 12 };
const INSTANT = /(At|Until)$/;

/** Name of one entry, by kind. */
export const ENTRY_NAMES: Readonly<Record<Kind, string>> = {
  session: 'session',
  lease: 'lease',
  debounce: 'window',
  schedule: 'schedule',
};

const COLUMNS: Readonly<Record<Kind, readonly Column[]>> = {
  session: [
    at('deadline', 'deadlineAt'),
    at('last seen', 'lastSeenAt', { spare: 2 }),
    said('events', { width: 8 }, ({ eventCount }) => eventCount),
    said('incarnation', { width: 16, spare: 1 }, ({ incarnation }) => incarnation),
    said('attributes', VALUE_WIDTH, ({ attributes }) => pairs(attributes)),
  ],
  lease: [
    at('deadline', 'deadlineAt'),
    said('token', { width: 16 }, ({ token }) => token),
    said('waiting', { width: 8 }, ({ waiters }) => (waiters as readonly unknown[]).length),
    said('holder', VALUE_WIDTH, ({ attributes, requestId, retryAt }) =>
      retryAt === undefined
        ? [pairs(attributes), requestId].filter(Boolean).join(' ')
        : `lock delay to ${time(retryAt)}`,
    ),
  ],
  debounce: [
    at('fires', 'firesAt'),
    said('items', { width: 8 }, ({ count }) => count),
    said('bytes', { width: 10 }, ({ bytes }) => bytes),
    said('window', { width: 16 }, ({ windowId }) => windowId),
  ],
  schedule: [
    said('due (UTC)', { width: 19 }, ({ paused, parked, dueAt }) =>
      parked === true ? 'parked' : paused === true ? 'paused' : time(dueAt),
    ),
    said('id', { width: 16, least: 8 }, ({ scheduleId }) => scheduleId),
    said('runs', { width: 6 }, ({ runs }) => runs),
    said('recurs', { width: 28, least: 12 }, recurrence),
    said('target', { width: 12, spare: 1 }, ({ target }) => target),
    { name: 'value', ...VALUE_WIDTH, text: ({ entry: { value } }) => printableKey(value as Uint8Array) },
  ],
};

/** A line for each entry, at most `width` wide; Infinity: everything whole. */
export function entryTable(kind: Kind, width: number): Table<Row> {
  const key: Column = { name: ENTRY_NAMES[kind], ...KEY_WIDTH, text: (row) => printableKey(row.key) };
  return tableOf([key, ...COLUMNS[kind]], width);
}

/** All of it, a line for each field that says something. */
export function entryDetails(key: Uint8Array, entry: ShownEntry): string {
  const fields = Object.entries(entry).filter(([, value]) => value !== undefined);
  const lines = fields.flatMap(([name, value]) => detailLines(name, value));
  return [['key', printableKey(key)] as const, ...lines].map(([name, text]) => `${name.padEnd(16)}${text}`).join('\n');
}

/** The fields that `--json` prints, with the key's bytes where they are no text. */
export function entryValue(key: Uint8Array, entry: ShownEntry): object {
  const bytes = Buffer.from(key);
  const named = { key: bytes.toString('utf8'), ...(!isUtf8(bytes) && { keyBase64: bytes.toString('base64') }) };
  return { ...named, ...(plain(entry) as object) };
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

/** Maps as objects, bytes as text or base64. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return bytesValue(value);
  // fromEntries defines `__proto__` as a property like any other (I3).
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, each]) => [name, plain(each)]));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

type Width = Pick<Column, 'width' | 'least' | 'spare'>;

function at(name: string, field: string, more: Partial<Width> = {}): Column {
  const width = { width: 19, ...more };
  return said(`${name} (UTC)`, width, (entry) => (entry[field] === undefined ? '' : time(entry[field])));
}

function said(name: string, width: Width, field: (entry: ShownEntry) => unknown): Column {
  return { name, ...width, text: ({ entry }) => printable(`${(field(entry) ?? '') as string | number}`) };
}

function recurrence({ everyMs, cron, timeZone }: ShownEntry): string {
  if (typeof everyMs === 'number') return `every ${duration(everyMs)}`;
  return typeof cron === 'string' ? `${cron} ${timeZone as string}` : '';
}

function pairs(attributes: unknown): string {
  return [...(attributes as ReadonlyMap<string, unknown>)].map(([name, value]) => `${name}=${String(value)}`).join(' ');
}

function time(at: unknown): string {
  const date = new Date(at as number);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString().slice(0, 19).replace('T', ' ');
}
