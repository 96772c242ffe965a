// Entries of every kind, as lists and look-ups have them: what a row of each says, and when it is due.
import { duration, moment, number } from './words.ts';

export type Entry = Readonly<Record<string, unknown>>;

export interface Column {
  readonly head: string;
  readonly isFigure?: boolean;
  readonly of: (entry: Entry) => string;
}

const text =
  (name: string) =>
  (entry: Entry): string =>
    plain(entry[name]);
const time =
  (name: string) =>
  (entry: Entry): string => {
    const at = entry[name];
    return typeof at === 'number' ? moment(at) : '–';
  };
const count =
  (name: string) =>
  (entry: Entry): string => {
    const value = entry[name];
    return typeof value === 'number' ? number(value) : '–';
  };

/** Behind the key, and before when it is due. */
const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  session: [
    { head: 'Began', of: time('startedAt') },
    { head: 'Last heard', of: time('lastSeenAt') },
    { head: 'Events', of: count('eventCount'), isFigure: true },
    { head: 'Attributes', of: attributesOf },
  ],
  lease: [
    { head: 'Holder', of: text('requestId') },
    { head: 'Token', of: text('token'), isFigure: true },
    { head: 'Granted', of: time('grantedAt') },
    { head: 'Renewals', of: count('renewals'), isFigure: true },
    { head: 'Who waits', of: waitersOf },
  ],
  debounce: [
    { head: 'Window', of: text('windowId') },
    { head: 'Items', of: count('count'), isFigure: true },
    { head: 'Bytes', of: count('bytes'), isFigure: true },
  ],
  schedule: [
    { head: 'Schedule', of: text('scheduleId') },
    { head: 'Every', of: everyOf },
    { head: 'Runs', of: count('runs'), isFigure: true },
    { head: 'Missed', of: count('missed'), isFigure: true },
    { head: 'Is', of: (entry) => (entry['parked'] ? 'parked' : entry['paused'] ? 'paused' : 'waiting') },
  ],
};

/** Beside the kind's own columns. */
const SHOWN_ANYWAY = ['key', 'keyBase64', 'partition', 'kind'];
const DUE_FIELDS = ['deadlineAt', 'firesAt', 'dueAt', 'retryAt', 'finalAt', 'endsAt'];
const OPENED_FIELDS = ['startedAt', 'grantedAt', 'openedAt'];
/** Ids that name the record which began it: partition and offset. */
const ORIGIN_FIELDS = ['incarnation', 'windowId', 'schedule'];

/** A kind that this page does not know shows each field that the first of its entries has. */
export function columnsOf(kind: string, [first = {}]: readonly Entry[] = []): readonly Column[] {
  return (
    COLUMNS[kind] ?? namesIn(first).map((name) => ({ head: name, of: name.endsWith('At') ? time(name) : text(name) }))
  );
}

function namesIn(entry: Entry): readonly string[] {
  return Object.keys(entry).filter((name) => !SHOWN_ANYWAY.includes(name) && !DUE_FIELDS.includes(name));
}

/** By the partition clock; undefined: never by itself. */
export function dueOf(entry: Entry): number | undefined {
  return numberIn(entry, DUE_FIELDS);
}

export function openedOf(entry: Entry): number | undefined {
  return numberIn(entry, OPENED_FIELDS);
}

/** In words; undefined: it does not say. */
export function originOf(entry: Entry): string | undefined {
  const id = ORIGIN_FIELDS.map((name) => entry[name]).find((value) => typeof value === 'string');
  const [partition, offset] = id?.split('-') ?? [];
  return offset === undefined ? undefined : `by the record at offset ${offset} of partition ${partition!}`;
}

/** Soonest first; what is never due comes last. */
export function bySoonest(entries: readonly Entry[]): readonly Entry[] {
  const due = entries.map((entry) => [dueOf(entry) ?? Infinity, entry] as const);
  return due.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, entry]) => entry);
}

/** `atMs`: when it was listed. What was not due by then may have ended since. */
export function dueWord(entry: Entry, wallMs: number, atMs: number): string {
  const due = dueOf(entry);
  if (due === undefined) return '–';
  if (due > wallMs) return `in ${duration(due - wallMs)}`;
  return due > atMs ? `was due ${duration(wallMs - due)} ago` : 'due, waits for proof';
}

/** The key as text: what is no UTF-8 shows its bytes. */
export function keyOf(entry: Entry): string {
  const base64 = entry['keyBase64'];
  return typeof base64 === 'string' ? `base64 ${base64}` : plain(entry['key']);
}

/** The key as a part of a path. */
export function keyPath(entry: Entry): string {
  const base64 = entry['keyBase64'];
  if (typeof base64 !== 'string') return encodeURIComponent(plain(entry['key']));
  return Array.from(atob(base64), (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
}

/** A field of an entry in words; `name` is as the processor has it. */
export function fieldWord(name: string, value: unknown): string {
  if (name.endsWith('At') && typeof value === 'number') return moment(value);
  if (name !== 'asOf') return plain(value);
  const { clock, position } = value as { readonly clock: number; readonly position: number };
  return `clock ${moment(clock)}, position ${number(position)}`;
}

export function plain(value: unknown): string {
  if (value === undefined || value === null) return '–';
  if (typeof value === 'string') return value;
  return JSON.stringify(value);
}

function numberIn(entry: Entry, names: readonly string[]): number | undefined {
  return names.map((name) => entry[name]).find((value): value is number => typeof value === 'number');
}

function attributesOf({ attributes }: Entry): string {
  const all = Object.entries((attributes ?? {}) as Entry);
  return all.map(([name, value]) => `${name} ${plain(value)}`).join(', ') || '–';
}

function waitersOf(entry: Entry): string {
  const waiters = Array.isArray(entry['waiters']) ? (entry['waiters'] as readonly Entry[]) : [];
  return waiters.length === 0 ? 'no one' : waiters.map(({ requestId }) => plain(requestId)).join(', ');
}

function everyOf(entry: Entry): string {
  const { cron, timeZone, everyMs } = entry;
  if (typeof cron === 'string') return `${cron}${typeof timeZone === 'string' ? ` (${timeZone})` : ''}`;
  return typeof everyMs === 'number' ? duration(everyMs) : 'once';
}
