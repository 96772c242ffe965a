// Looks for a record in a topic, so that a file is not imported twice unnoticed.
import { partitionOf } from '@flatline/base';
import { type AdminOptions, KafkaLogAdmin, KafkaLogScan, type TopicDescription } from '@flatline/kafka';
import type { RecordCursor, TopicPartition } from '@flatline/ports';
import type { ImportedRecord } from './file-import.ts';

/** Records looked at, from the first of the same time on: in a topic that is in no order of time others may stand between. */
const LOOK_RECORDS_MAX = 10_000;

/** Where the same key, value and time stand, if they do among the records looked at. @throws Retriable, Fatal, PartitionStopped */
export async function placeOfRecord(
  record: ImportedRecord,
  { topic, partitions }: TopicDescription,
  options: AdminOptions,
): Promise<(TopicPartition & { readonly offset: number }) | undefined> {
  const place = { topic, partition: partitionOf(record.key, partitions) };
  const from = await new KafkaLogAdmin(options).offsetAt(place, record.timestamp);
  if (from === undefined) return undefined;
  const { lastStableOffset } = await new KafkaLogAdmin(options).ends(place);
  const scan = new KafkaLogScan(options);
  let looked = 0;
  for (let offset = from; offset < lastStableOffset && looked < LOOK_RECORDS_MAX;) {
    const { cursor, nextOffset } = await scan.read(place, offset);
    while (cursor.next()) {
      if (cursor.offset < from) continue;
      looked += 1;
      if (isSame(cursor, record)) return { ...place, offset: cursor.offset };
    }
    offset = nextOffset;
  }
  return undefined;
}

function isSame(cursor: RecordCursor, { key, value, timestamp }: ImportedRecord): boolean {
  const { bytes, keyStart, keyLength, valueStart, valueLength } = cursor;
  if (cursor.timestamp !== timestamp || keyLength < 0 || valueLength < 0) return false;
  const isKey = Buffer.compare(bytes.subarray(keyStart, keyStart + keyLength), key) === 0;
  return isKey && Buffer.compare(bytes.subarray(valueStart, valueStart + valueLength), value) === 0;
}
