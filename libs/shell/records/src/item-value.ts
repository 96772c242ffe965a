// Form of an item's value in JSON: itself where it is JSON, else text, else base64.
import { isUtf8 } from 'node:buffer';
import { asBuffer } from './text-reader.ts';

export type ItemValue =
  | { readonly kind: 'json' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'base64'; readonly base64: string };

const JSON_VALUE: ItemValue = { kind: 'json' };
/** White space, and what a JSON value may begin with: most texts are none, and parsing says so slowly. */
const JSON_BEGINNINGS = new Set(Buffer.from(' \t\n\r{["-0123456789tfn'));

export function itemValue(value: Uint8Array): ItemValue {
  const buffer = asBuffer(value);
  if (!isUtf8(buffer)) return { kind: 'base64', base64: buffer.toString('base64') };
  const text = buffer.toString('utf8');
  return buffer.length > 0 && JSON_BEGINNINGS.has(buffer[0]!) && isJson(text) ? JSON_VALUE : { kind: 'text', text };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // that is the answer
  }
}
