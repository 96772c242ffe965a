// Reads a partition, for tests.
import type { Clock } from '@flatline/base';
import { type KafkaConnection, KafkaLogScan } from '@flatline/kafka';

export interface WrittenRecord {
  /** Bytes as characters; null is an end. */
  readonly value: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

interface Place {
  readonly topic: string;
  readonly partition: number;
}

/** Records of the key, in their order. */
export async function recordsOf(
  parts: { readonly clock: Clock; readonly connection: KafkaConnection },
  place: Place,
  key: string,
): Promise<WrittenRecord[]> {
  const scan = new KafkaLogScan(parts);
  const { logStartOffset, lastStableOffset } = await scan.bounds(place);
  const records: WrittenRecord[] = [];
  for (let at = logStartOffset; at < lastStableOffset;) {
    const { cursor, nextOffset } = await scan.read(place, at);
    while (cursor.next()) {
      const { bytes, keyStart, keyLength, valueStart, valueLength } = cursor;
      if (Buffer.from(bytes.subarray(keyStart, keyStart + keyLength)).toString('utf8') !== key) continue;
      const value = Buffer.from(bytes.subarray(valueStart, valueStart + Math.max(0, valueLength))).toString('latin1');
      const headers = cursor.headers().map(({ name, value: of }) => [name, Buffer.from(of ?? []).toString('latin1')]);
      records.push({
        value: valueLength < 0 ? null : value,
        headers: Object.fromEntries(headers) as Record<string, string>,
      });
    }
    at = nextOffset;
  }
  return records;
}
