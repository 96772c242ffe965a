// A message as bytes: value and foreign headers, as they lie in a key's state until they come out.
//
//   message = count varint · (header name text · length + 1 varint, 0: null · bytes)… · value to the end
import { BriefCopies, ByteReader, ByteWriter, MalformedBytes } from '@flatline/base';
import type { RecordHeader } from '@flatline/ports';

/** `ignoreBOM`: a leading U+FEFF is a character like any other. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Scratch. */
const one = new ByteWriter(1024);
/** Messages on their way to an entry or to the output. */
const copies = new BriefCopies();

export function messageOf(
  headers: readonly RecordHeader[],
  bytes: Uint8Array,
  start: number,
  length: number,
): Uint8Array {
  one.clear();
  one.varint(headers.length);
  for (const { name, value } of headers) {
    one.text(name);
    one.varint(value === null ? 0 : value.length + 1);
    if (value !== null) one.raw(value);
  }
  one.raw(bytes, start, length);
  return copies.of(one.peek());
}

/** @throws MalformedBytes */
export function messageIn(message: Uint8Array): {
  readonly headers: RecordHeader[];
  readonly value: Uint8Array;
} {
  const input = new ByteReader(message);
  const headers: RecordHeader[] = [];
  for (let left = input.varint(); left > 0; left -= 1) {
    const name = readText(input);
    const length = input.varint();
    headers.push({ name, value: length === 0 ? null : input.raw(length - 1) });
  }
  return { headers, value: input.raw(input.remaining) };
}

export function readText(input: ByteReader): string {
  const bytes = input.block();
  if (bytes.length === 0) return '';
  try {
    // A copy: what decodes takes no shared memory everywhere.
    return utf8.decode(copies.of(bytes));
  } catch {
    throw new MalformedBytes('a text of a schedule is not UTF-8');
  }
}
