// Where a kind writes a record that it says, part by part, instead of making an object of it: key, value, how many headers, and of
// each its name and its value.
import { nameBytes } from './header-names.ts';

export interface RecordSink {
  /** A key, a value, or one of a header. */
  part(bytes: Uint8Array, start: number, length: number): void;
  /** A null value, or a header's. */
  none(): void;
  headers(count: number): void;
  /** A header, or its name, that many records share. */
  framed(frame: Frame): void;
  /** The value of a header: the digits of a safe integer from 0 on, behind a prefix of at most 32 bytes. */
  digits(value: number, prefix: Uint8Array): void;
  /** The value of a header: up to 63 characters of ASCII. */
  ascii(text: string): void;
}

/** Parts of a record with their lengths, in one piece. */
export interface Frame {
  readonly bytes: Uint8Array;
  /** Without the lengths. */
  readonly content: number;
}

/** Lengths below this, doubled for their sign, take one byte. */
const SHORT = 64;

/** A header whose name and value are shorter than 64 bytes. */
export function headerFrame(name: string, value: Uint8Array): Frame {
  return frameOf(nameBytes(name), value);
}

/** The name of a header, shorter than 64 bytes; its value follows. */
export function nameFrame(name: string): Frame {
  return frameOf(nameBytes(name));
}

/** One behind the other. */
export function framesOf(...frames: readonly Frame[]): Frame {
  const content = frames.reduce((sum, frame) => sum + frame.content, 0);
  return { bytes: Uint8Array.from(frames.flatMap(({ bytes }) => [...bytes])), content };
}

function frameOf(...parts: readonly Uint8Array[]): Frame {
  const content = parts.reduce((sum, { length }) => sum + length, 0);
  if (parts.some(({ length }) => length >= SHORT)) throw new RangeError('parts of a frame are shorter than 64 bytes');
  return { bytes: Uint8Array.from(parts.flatMap((part) => [2 * part.length, ...part])), content };
}
