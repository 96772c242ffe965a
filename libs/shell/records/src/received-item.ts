// Items of batches as their readers get them. Formats differ in what they keep: Avro has the bytes as they came, JSON what the
// value is (docs/FORMATS.md, Batches). A reader gets the same `value` from both.
import { isUtf8 } from 'node:buffer';
import { invalidField } from './bad-input.ts';
import { checkSafeInteger, type ReceivedItem, type RecordShape } from './record-shape.ts';
import { asBuffer } from './text-reader.ts';
import { itemValue } from './item-value.ts';

/** An item in Avro, while it is read. */
export interface DraftItem {
  offset: number;
  timestamp: number;
  value: Uint8Array;
}

const NOTHING = new Uint8Array(0);

export function blankItem(): DraftItem {
  return { offset: 0, timestamp: 0, value: NOTHING };
}

type ItemShape = RecordShape<never, DraftItem>;

function long(name: 'offset' | 'timestamp'): ItemShape[number] {
  const set = (item: DraftItem, value: number): void => {
    item[name] = value;
  };
  return { name, kind: 'long', nullable: false, required: true, get: () => undefined, set };
}

/** The fields of an item in `schemas/debounced-batch.avsc`. */
export const ITEM_SHAPE: ItemShape = [
  long('offset'),
  long('timestamp'),
  {
    name: 'value',
    kind: 'bytes',
    nullable: false,
    required: true,
    get: () => undefined,
    set: (item, value) => {
      item.value = value;
    },
  },
];

export function finishItem({ offset, timestamp, value: bytes }: DraftItem): ReceivedItem {
  const said = itemValue(bytes);
  if (said.kind === 'text') return { offset, timestamp, value: said.text, bytes };
  return { offset, timestamp, value: said.kind === 'json' ? JSON.parse(textOf(bytes)) : bytes, bytes };
}

/** @throws BadInput. */
export function itemInJson(item: unknown): ReceivedItem {
  if (typeof item !== 'object' || item === null || !('value' in item))
    throw invalidField('items', item, 'items of offset, timestamp and value');
  const { offset, timestamp, value } = item as Readonly<Record<string, unknown>>;
  return {
    offset: checkSafeInteger('offset', offset as number, Number.MIN_SAFE_INTEGER),
    timestamp: checkSafeInteger('timestamp', timestamp as number, Number.MIN_SAFE_INTEGER),
    value: bytesIn(value) ?? value,
    bytes: undefined,
  };
}

/**
 * Bytes that are no UTF-8 are written as `{"base64": "…"}`, and nothing else is: an item that came as such JSON stays what it is
 * unless its base64 is padded and of bytes that are no text, which no reader can tell from the other.
 */
function bytesIn(value: unknown): Uint8Array | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { base64, ...others } = value as Readonly<Record<string, unknown>>;
  if (typeof base64 !== 'string' || Object.keys(others).length > 0) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 && !isUtf8(bytes) ? Uint8Array.from(bytes) : undefined;
}

function textOf(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('utf8');
}
