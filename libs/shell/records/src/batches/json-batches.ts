import { isUtf8 } from 'node:buffer';
import type { BatchItem, DebouncedBatch, DebouncedBatchEncoder } from '@flatline/ports/formats';
import { JsonWriter, phraseOf } from '../json/json-writer.ts';
import { isPlainJson } from '../json/plain-json.ts';
import { asBuffer } from '../text-reader.ts';
import { itemValue } from '../item-value.ts';

/** Names, numbers of up to 16 digits, and punctuation of one item. */
const ITEM_BYTES = 66;
/** The same of all other fields. A byte of the key takes six as an escape, and base64 beside it. */
const AROUND_BYTES = 512;
const KEY_BYTE_BYTES = 8;

const NAMES = {
  key: phraseOf('{"key":'),
  windowId: phraseOf(',"windowId":'),
  reason: phraseOf(',"reason":'),
  openedAt: phraseOf(',"openedAt":'),
  firedAt: phraseOf(',"firedAt":'),
  part: phraseOf(',"part":'),
  last: phraseOf(',"last":'),
  count: phraseOf(',"count":'),
  bytes: phraseOf(',"bytes":'),
  duplicates: phraseOf(',"duplicates":'),
  firstOffset: phraseOf(',"firstOffset":'),
  lastOffset: phraseOf(',"lastOffset":'),
  keyBase64: phraseOf(',"keyBase64":'),
  items: phraseOf(',"items":['),
  offset: phraseOf('{"offset":'),
  timestamp: phraseOf(',"timestamp":'),
  value: phraseOf(',"value":'),
  base64: phraseOf('{"base64":'),
};
const COMMA = 0x2c;
const BRACE_CLOSE = 0x7d;
const END = phraseOf(']}');

/** Writes the fields of `schemas/debounced-batch.avsc`, with each value as what it is. */
export class JsonBatches implements DebouncedBatchEncoder {
  readonly batchBytesMax: number;
  readonly weighing = 0;
  readonly #writer = new JsonWriter();

  constructor(batchBytesMax: number) {
    this.batchBytesMax = batchBytesMax;
  }

  aroundBytes(keyLength: number): number {
    return AROUND_BYTES + KEY_BYTE_BYTES * keyLength;
  }

  itemBytes(bytes: Uint8Array, start: number, length: number): number {
    if (isPlainJson(bytes, start, start + length)) return ITEM_BYTES + length;
    const value = itemValue(bytes.subarray(start, start + length));
    if (value.kind === 'json') return ITEM_BYTES + length;
    if (value.kind === 'text') return ITEM_BYTES + Buffer.byteLength(JSON.stringify(value.text));
    return ITEM_BYTES + JSON.stringify(value.base64).length + NAMES.base64.length + 1;
  }

  encode(batch: DebouncedBatch): Uint8Array {
    const writer = this.#writer;
    const key = asBuffer(batch.key);
    writer.clear();
    writer.phrase(NAMES.key);
    writer.string(key.toString('utf8'));
    writer.phrase(NAMES.windowId);
    writer.string(batch.windowId);
    writer.phrase(NAMES.reason);
    writer.string(batch.reason);
    for (const name of ['openedAt', 'firedAt', 'part'] as const) this.#number(name, batch);
    writer.phrase(NAMES.last);
    writer.boolean(batch.last);
    for (const name of ['count', 'bytes', 'duplicates', 'firstOffset', 'lastOffset'] as const)
      this.#number(name, batch);
    if (!isUtf8(key)) {
      writer.phrase(NAMES.keyBase64);
      writer.string(key.toString('base64'));
    }
    writer.phrase(NAMES.items);
    batch.items.forEach((item, i) => {
      if (i > 0) writer.byte(COMMA);
      this.#item(item);
    });
    writer.phrase(END);
    return writer.copy();
  }

  #number(
    name: 'openedAt' | 'firedAt' | 'part' | 'count' | 'bytes' | 'duplicates' | 'firstOffset' | 'lastOffset',
    batch: DebouncedBatch,
  ): void {
    this.#writer.phrase(NAMES[name]);
    this.#writer.number(batch[name]);
  }

  #item({ offset, timestamp, value }: BatchItem): void {
    const writer = this.#writer;
    writer.phrase(NAMES.offset);
    writer.number(offset);
    writer.phrase(NAMES.timestamp);
    writer.number(timestamp);
    writer.phrase(NAMES.value);
    if (isPlainJson(value, 0, value.length)) writer.raw(value);
    else this.#value(value);
    writer.byte(BRACE_CLOSE);
  }

  #value(value: Uint8Array): void {
    const writer = this.#writer;
    const said = itemValue(value);
    if (said.kind === 'json') writer.raw(value);
    else if (said.kind === 'text') writer.string(said.text);
    else {
      writer.phrase(NAMES.base64);
      writer.string(said.base64);
      writer.byte(BRACE_CLOSE);
    }
  }
}
