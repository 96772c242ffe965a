import { isUtf8 } from 'node:buffer';
import type { DebouncedBatch, DebouncedBatchEncoder } from '@flatline/ports/formats';
import { MAGIC_BYTE } from '../avro/avro-record-writer.ts';
import { AvroWriter } from '../avro/avro-writer.ts';
import { asBuffer } from '../text-reader.ts';

/** Offset, timestamp and length of one item. */
const ITEM_BYTES = 30;
/** All other fields. A byte of the key takes three as U+FFFD, and base64 beside it. */
const AROUND_BYTES = 256;
const KEY_BYTE_BYTES = 5;

/** Writes `schemas/debounced-batch.avsc`, under the id the registry gave it. Values are bytes, as they came. */
export class AvroBatches implements DebouncedBatchEncoder {
  readonly batchBytesMax: number;
  readonly weighing = 1;
  readonly #schemaId: number;
  readonly #writer = new AvroWriter();

  constructor(schemaId: number, batchBytesMax: number) {
    this.#schemaId = schemaId;
    this.batchBytesMax = batchBytesMax;
  }

  aroundBytes(keyLength: number): number {
    return AROUND_BYTES + KEY_BYTE_BYTES * keyLength;
  }

  itemBytes(_bytes: Uint8Array, _start: number, length: number): number {
    return ITEM_BYTES + length;
  }

  encode(batch: DebouncedBatch): Uint8Array {
    const writer = this.#writer;
    const key = asBuffer(batch.key);
    writer.clear();
    writer.byte(MAGIC_BYTE);
    writer.u32BigEndian(this.#schemaId);
    writer.text(key.toString('utf8'));
    writer.text(batch.windowId);
    writer.text(batch.reason);
    for (const name of ['openedAt', 'firedAt', 'part'] as const) writer.long(batch[name]);
    writer.boolean(batch.last);
    for (const name of ['count', 'bytes', 'firstOffset', 'lastOffset'] as const) writer.long(batch[name]);
    this.#items(batch);
    writer.long(isUtf8(key) ? 0 : 1);
    if (!isUtf8(key)) writer.text(key.toString('base64'));
    writer.long(batch.duplicates);
    return writer.copy();
  }

  /** One block with all of them, then the empty one that ends an array. */
  #items({ items }: DebouncedBatch): void {
    const writer = this.#writer;
    if (items.length > 0) writer.long(items.length);
    for (const { offset, timestamp, value } of items) {
      writer.long(offset);
      writer.long(timestamp);
      writer.bytes(value);
    }
    writer.byte(0);
  }
}
