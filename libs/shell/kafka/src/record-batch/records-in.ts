import type { OutgoingRecord, TopicPartition } from '@flatline/ports';
import { BatchCursor } from './batch-cursor.ts';
import { scanBatches } from './batch-scan.ts';

/** Copies of the records of batches that were encoded here. */
export function recordsIn(bytes: Buffer, source: TopicPartition): OutgoingRecord[] {
  const { end, nextOffset } = scanBatches(bytes, 0, bytes.length, 0);
  const cursor = new BatchCursor({ source, bytes, start: 0, end, askedOffset: 0, nextOffset, aborted: [] });
  const copy = (start: number, length: number): Uint8Array | null =>
    length < 0 ? null : Uint8Array.from(cursor.bytes.subarray(start, start + length));
  const records: OutgoingRecord[] = [];
  while (cursor.next())
    records.push({
      key: copy(cursor.keyStart, cursor.keyLength),
      value: copy(cursor.valueStart, cursor.valueLength),
      timestamp: cursor.timestamp,
      headers: cursor.headers().map(({ name, value }) => ({ name, value: value && Uint8Array.from(value) })),
    });
  return records;
}
