// A dead letter as a record of its topic, and back: unchanged but for headers that follow those it came with (I1).
import type { Millis } from '@flatline/base';
import type { DeadLetter, OutgoingRecord, RecordHeader } from '@flatline/task';

/** Where a dead letter was found and why it was refused. */
export interface DeadLetterOrigin {
  readonly reason: string;
  readonly detail: string;
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: Millis;
}

const PREFIX = 'flatline-';
const NAMES = ['reason', 'detail', 'topic', 'partition', 'offset', 'timestamp'] as const;

const utf8 = new TextEncoder();
const utf8Reader = new TextDecoder();

export function deadLetterRecord(letter: DeadLetter, partition: number, topic: string): OutgoingRecord {
  const { key, value, reason, detail, offset, timestamp } = letter;
  const origin: DeadLetterOrigin = { reason, detail, topic, partition, offset, timestamp };
  const added = NAMES.map((name) => ({ name: PREFIX + name, value: utf8.encode(String(origin[name])) }));
  return { key, value, headers: [...letter.headers, ...added] };
}

/**
 * What the headers of a record say, and those the refused record itself had; undefined where it is not a dead letter. The
 * last ones count: a producer may have sent headers of these names.
 */
export function readDeadLetter(
  headers: readonly RecordHeader[],
): { readonly origin: DeadLetterOrigin; readonly headers: readonly RecordHeader[] } | undefined {
  const own = headers.slice(-NAMES.length);
  const isOurs = own.length === NAMES.length && NAMES.every((name, i) => own[i]!.name === PREFIX + name);
  if (!isOurs) return undefined;
  const [reason = '', detail = '', topic = '', partition, offset, timestamp] = own.map(({ value }) =>
    value === null ? '' : utf8Reader.decode(value),
  );
  const origin = { reason, detail, topic, partition: Number(partition), offset: Number(offset) };
  if (!isPlace(origin.partition) || !isPlace(origin.offset)) return undefined;
  return { origin: { ...origin, timestamp: Number(timestamp) }, headers: headers.slice(0, -NAMES.length) };
}

function isPlace(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
