// Headers of a dead letter (I1). They follow those of the refused record.
import type { Millis } from '@flatline/base';
import type { RecordHeader } from './log-reader.ts';

/** Original lengths of the parts of a record that its letter truncates; headers are dropped together. */
export interface Truncation {
  readonly keyBytes?: number;
  readonly valueBytes?: number;
  readonly headers?: number;
}

/** Where a dead letter was found and why it was refused. */
export interface DeadLetterOrigin {
  readonly reason: string;
  readonly detail: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: Millis;
  /** Set where it does not hold all of its record. */
  readonly truncated?: Truncation;
  /** Set where it stands for many records, from `offset` on, and holds none. */
  readonly batch?: { readonly lastOffset: number; readonly records: number };
}

const PREFIX = 'flatline-';
const NAMES = ['reason', 'detail', 'topic', 'partition', 'offset', 'timestamp'] as const;
/** Behind those, each only where there is something to say. */
const TRUNCATED = `${PREFIX}truncated`;
const LAST_OFFSET = `${PREFIX}last-offset`;
const RECORDS = `${PREFIX}records`;
const EXTRAS: readonly string[] = [TRUNCATED, LAST_OFFSET, RECORDS];
/** Parts of a record that may be truncated, by their names in the header. */
const PARTS = { key: 'keyBytes', value: 'valueBytes', headers: 'headers' } as const;

const utf8 = new TextEncoder();
const utf8Reader = new TextDecoder();

/** Encodes the headers that `readDeadLetter` reads back. */
export function deadLetterHeaders(origin: DeadLetterOrigin): RecordHeader[] {
  const { truncated, batch } = origin;
  return [
    ...NAMES.map((name) => header(PREFIX + name, origin[name])),
    ...(truncated === undefined ? [] : [header(TRUNCATED, textOf(truncated))]),
    ...(batch === undefined ? [] : [header(LAST_OFFSET, batch.lastOffset), header(RECORDS, batch.records)]),
  ];
}

/** `value=5242880`: how long each part was that is not there whole; of headers, how many there were. */
function textOf(truncated: Truncation): string {
  return Object.entries(PARTS)
    .flatMap(([part, field]) => (truncated[field] === undefined ? [] : [`${part}=${truncated[field]}`]))
    .join(' ');
}

function header(name: string, value: string | number): RecordHeader {
  return { name, value: utf8.encode(String(value)) };
}

/**
 * Reads the origin of a dead letter, and the headers of the refused record; undefined if the record is no dead letter. The last
 * headers count: a producer may have sent some of these names.
 */
export function readDeadLetter(
  headers: readonly RecordHeader[],
): { readonly origin: DeadLetterOrigin; readonly headers: readonly RecordHeader[] } | undefined {
  let end = headers.length;
  while (end > 0 && EXTRAS.includes(headers[end - 1]!.name)) end -= 1;
  const own = headers.slice(Math.max(0, end - NAMES.length), end);
  const isOurs = own.length === NAMES.length && NAMES.every((name, i) => own[i]!.name === PREFIX + name);
  if (!isOurs) return undefined;
  const [reason = '', detail = '', topic = '', partition, offset, timestamp] = own.map(({ value }) => read(value));
  const origin = { reason, detail, topic, partition: Number(partition), offset: Number(offset) };
  if (!isPlace(origin.partition) || !isPlace(origin.offset)) return undefined;
  return {
    origin: { ...origin, timestamp: Number(timestamp), ...readExtras(headers.slice(end)) },
    headers: headers.slice(0, end - NAMES.length),
  };
}

function readExtras(headers: readonly RecordHeader[]): Pick<DeadLetterOrigin, 'truncated' | 'batch'> {
  const found = new Map(headers.map(({ name, value }) => [name, read(value)]));
  const truncated = found.get(TRUNCATED);
  const batch = { lastOffset: Number(found.get(LAST_OFFSET)), records: Number(found.get(RECORDS)) };
  return {
    ...(truncated !== undefined && { truncated: truncationIn(truncated) }),
    ...(isPlace(batch.lastOffset) && isPlace(batch.records) && { batch }),
  };
}

function truncationIn(text: string): Truncation {
  const found = new Map(text.split(' ').map((part) => part.split('=') as [string, string | undefined]));
  return Object.fromEntries(
    Object.entries(PARTS).flatMap(([part, field]) => (found.has(part) ? [[field, Number(found.get(part))]] : [])),
  );
}

function read(value: Uint8Array | null): string {
  return value === null ? '' : utf8Reader.decode(value);
}

function isPlace(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
