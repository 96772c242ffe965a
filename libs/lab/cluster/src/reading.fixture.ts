import type { LogSubscription, RecordCursor, TransactionalWriter } from '@flatline/ports';
import type { LogRecord } from './log-batch.ts';
import type { SimulatedLog } from './simulated-log.ts';

export interface SeenRecord {
  readonly offset: number;
  readonly key: string;
  readonly value: string;
}

const utf8 = new TextEncoder();
const utf8Reader = new TextDecoder();

export const bytes = (text: string): Uint8Array => utf8.encode(text);
export const text = (from: Uint8Array | null): string => (from === null ? '∅' : utf8Reader.decode(from));

function part(cursor: RecordCursor, start: number, length: number): string {
  return length < 0 ? '∅' : text(cursor.bytes.subarray(start, start + length));
}

/** Takes every fetch that has arrived and copies the records that its cursor shows. */
export function taken(subscription: LogSubscription): SeenRecord[] {
  const seen: SeenRecord[] = [];
  for (let fetched = subscription.take(); fetched !== undefined; fetched = subscription.take()) {
    const { cursor } = fetched;
    while (cursor.next()) {
      const key = part(cursor, cursor.keyStart, cursor.keyLength);
      const value = part(cursor, cursor.valueStart, cursor.valueLength);
      seen.push({ offset: cursor.offset, key, value });
    }
  }
  return seen;
}

export const asSeen = ({ offset, key, value }: LogRecord): SeenRecord => ({
  offset,
  key: text(key),
  value: text(value),
});

export const committedValues = (log: SimulatedLog, topic: string, partition = 0): string[] =>
  log.committed(topic, partition).map(({ value }) => text(value));

/** One transaction that writes each value to `topic`-0. */
export function writing(topic: string, ...values: string[]): Parameters<TransactionalWriter['commit']>[0] {
  const records = values.map((value) => ({ key: bytes('k'), value: bytes(value) }));
  return { writes: [{ topic, partition: 0, records }], offsets: [] };
}
