// Sizes, in bytes, of items in a record of the output (docs/FORMATS.md, Batches), and the JSON of each item.
import { base64Of, utf8In } from '../../logs/byte-names.ts';
import type { DebounceFoldRules } from './naive-window.ts';

const BATCH_BYTES_MAX = 1_000_000;
const JSON_SIZES = { item: 66, around: 512, keyByte: 8 };
const AVRO_SIZES = { item: 30, around: 256, keyByte: 5 };
const utf8 = new TextEncoder();

/** Sizes by the format of the output. `bytesMax`: capacity of one of its records. */
export function batchSizes(
  format: 'json' | 'avro',
  bytesMax = BATCH_BYTES_MAX,
): Pick<DebounceFoldRules, 'roomFor' | 'sizeOf'> {
  const { item, around, keyByte } = format === 'json' ? JSON_SIZES : AVRO_SIZES;
  return {
    roomFor: (key) => bytesMax - around - keyByte * key.length,
    sizeOf: (value) => item + (format === 'json' ? utf8.encode(itemJson(value)).length : value.length),
  };
}

/** The item itself if it is JSON, a string if it is other UTF-8 text, else its bytes in base64. */
export function itemJson(value: Uint8Array): string {
  const text = utf8In(value);
  if (text === undefined) return JSON.stringify({ base64: base64Of(value) });
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}
