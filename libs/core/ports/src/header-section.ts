// The headers of a record as Kafka writes them into a batch (KIP-98): for cursors whose records never lay in one.
//
//   section = count · (length of the name · name in UTF-8 · length of the value, −1: null · value)…, each number a zigzag varint
import { ByteWriter, utf8Of } from '@flatline/base';
import type { RecordHeader } from './log-reader.ts';

export function headerSection(headers: readonly RecordHeader[]): Uint8Array {
  const section = new ByteWriter(256);
  section.signedVarint(headers.length);
  for (const { name, value } of headers) {
    const bytes = utf8Of(name);
    section.signedVarint(bytes.length);
    section.raw(bytes);
    section.signedVarint(value === null ? -1 : value.length);
    if (value !== null) section.raw(value);
  }
  return section.copy();
}
