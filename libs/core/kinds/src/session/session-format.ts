// A session as bytes: what a changelog block and the local store hold of it beside its key. Format version 1.
//
//   flags u8 (1: timeout chosen, 2: detail follows) · openedAt varint · lastSeenAt − openedAt varint · firstOffset varint
//   · lastOffset − firstOffset varint · eventCount varint · timeoutMs varint · [detail, to the end]
//
// Compact on purpose: each byte is checksummed, sent, replicated and stored, many times over the life of a session.
import { ByteReader, type ByteWriter, MalformedBytes } from '@flatline/base';
import type { EntryFormat } from '../contract.ts';
import { decodeDetail, encodeDetail } from './detail.ts';
import type { SessionEntry } from './entry.ts';
import { SessionWindow } from './session-window.ts';

const CHOSEN = 1;
const DETAIL = 2;

/** Written in one piece, flags and all: a number below 128 is its own varint. */
const numbers = new Float64Array(7);

export function encodeImage(entry: SessionEntry, out: ByteWriter): void {
  const { detail, openedAt, firstOffset } = entry;
  numbers[0] = (entry.timeoutChosen ? CHOSEN : 0) | (detail === undefined ? 0 : DETAIL);
  numbers[1] = openedAt;
  numbers[2] = entry.lastSeenAt - openedAt;
  numbers[3] = firstOffset;
  numbers[4] = entry.lastOffset - firstOffset;
  numbers[5] = entry.eventCount;
  numbers[6] = entry.timeoutMs;
  out.varints(numbers, numbers.length);
  if (detail !== undefined) encodeDetail(detail, out);
}

/** Fills `entry` from the image in `bytes[start, end)`. @throws MalformedBytes */
export function decodeImage(bytes: Uint8Array, start: number, end: number, entry: SessionEntry): void {
  const input = new ByteReader(bytes, start, end);
  const flags = input.u8();
  entry.openedAt = input.varint();
  entry.lastSeenAt = entry.openedAt + input.varint();
  entry.firstOffset = input.varint();
  entry.lastOffset = entry.firstOffset + input.varint();
  entry.eventCount = input.varint();
  entry.timeoutMs = input.varint();
  entry.timeoutChosen = (flags & CHOSEN) !== 0;
  if ((flags & DETAIL) !== 0) entry.detail = decodeDetail(bytes, input.position, end);
  else if (input.remaining !== 0) throw new MalformedBytes(`${input.remaining} bytes after an entry image`);
  else entry.detail = undefined;
}

export const sessionFormat: EntryFormat<SessionWindow> = {
  window: (memory) => new SessionWindow(memory),
  encode: encodeImage,
  decode: decodeImage,
};
