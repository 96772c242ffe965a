// Sizes and bytes of the parts of a record (KIP-98, format 2). Integers are zigzag varints, lengths in bytes, −1 is null.
import { nameBytes, type RecordHeader } from '@flatline/ports';

/** Above this the 32-bit operations below would lose bits. */
const INT_LIMIT = 2 ** 30;
/** Copying byte by byte beats `set()` on a fresh subarray below about this many bytes. */
const SHORT_COPY_MAX = 64;

/** Bytes that `writeVarint(value)` takes: −2^30 ≤ value < 2^30. */
export function varintSize(value: number): number {
  // 7 payload bits a byte; `| 1` so that zero still takes one byte.
  return ((38 - Math.clz32(((value << 1) ^ (value >> 31)) | 1)) / 7) | 0;
}

/** Any integer of magnitude below 2^52. */
export function varlongSize(value: number): number {
  if (value < INT_LIMIT && value >= -INT_LIMIT) return varintSize(value);
  let rest = value < 0 ? -2 * value - 1 : 2 * value;
  let size = 1;
  while (rest >= 0x80) {
    rest = Math.floor(rest / 0x80);
    size += 1;
  }
  return size;
}

export function writeVarint(target: Uint8Array, at: number, value: number): number {
  let rest = ((value << 1) ^ (value >> 31)) >>> 0;
  while (rest >= 0x80) {
    target[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  target[at++] = rest;
  return at;
}

export function writeVarlong(target: Uint8Array, at: number, value: number): number {
  if (value < INT_LIMIT && value >= -INT_LIMIT) return writeVarint(target, at, value);
  let rest = value < 0 ? -2 * value - 1 : 2 * value;
  while (rest >= 0x80) {
    target[at++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  target[at++] = rest;
  return at;
}

/** Length and content; null is a length of −1 and no content. */
export function bytesSize(bytes: Uint8Array | null): number {
  return bytes === null ? 1 : varintSize(bytes.length) + bytes.length;
}

export function writeBytes(target: Uint8Array, at: number, bytes: Uint8Array | null): number {
  if (bytes === null) return writeVarint(target, at, -1);
  const { length } = bytes;
  const start = writeVarint(target, at, length);
  if (length > SHORT_COPY_MAX) target.set(bytes, start);
  else for (let index = 0; index < length; index += 1) target[start + index] = bytes[index]!;
  return start + length;
}

/** Copies `length` bytes from `start` on to `at`. */
export function copyPart(target: Uint8Array, at: number, from: Uint8Array, start: number, length: number): void {
  if (length > SHORT_COPY_MAX) target.set(from.subarray(start, start + length), at);
  else for (let index = 0; index < length; index += 1) target[at + index] = from[start + index]!;
}

export function headersSize(headers: readonly RecordHeader[]): number {
  let size = varintSize(headers.length);
  for (const { name, value } of headers) size += bytesSize(nameBytes(name)) + bytesSize(value);
  return size;
}

export function writeHeaders(target: Uint8Array, at: number, headers: readonly RecordHeader[]): number {
  let end = writeVarint(target, at, headers.length);
  for (const { name, value } of headers) {
    end = writeBytes(target, end, nameBytes(name));
    end = writeBytes(target, end, value);
  }
  return end;
}
