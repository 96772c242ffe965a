// The head of a session as bytes: in the base of a changelog, in the local store, and what a touch changes of it.
//
//   head    = flags u8 (1: timeout chosen, 2: numbers follow, 4: early data, without offsets, 8: closed, without timeout, 16: before it opened) · openedAt varint · lastSeenAt − openedAt varint · firstOffset varint
//             · lastOffset − firstOffset varint · eventCount varint · timeoutMs varint · [numbers]
//   touch   = 2 × eventCount, and one where numbers follow, varint · clock − lastSeenAt signed · position − lastOffset signed
//             · [numbers]
//   numbers: detail.ts
//
// Compact on purpose: each byte is checksummed, sent, replicated and stored, a touch with every commit in which its session beats.
import {
  ByteReader,
  type ByteWriter,
  CHANGELOG_FORMAT_WITH_DISORDER,
  CHANGELOG_FORMAT_WITH_INPUTS,
  CHANGELOG_FORMAT_WITH_REDUCERS,
  CHANGELOG_FORMAT_WITH_REVISIONS,
  CHANGELOG_FORMAT_WITH_SOURCES,
  CHANGELOG_FORMAT_WITH_UPDATES,
  MalformedBytes,
  zigzag,
} from '@flatline/base';
import type { EntryFormat, TouchBase } from '../contract.ts';
import { COUNT_MAX } from './counts.ts';
import { type DecodedNumbers, decodeNumbers, encodeNumbers, encodeNumbersOnly } from './detail.ts';
import { isEarly, NO_ACTIVITY } from './early-data.ts';
import type { SessionEntry } from './entry.ts';
import { CLOSED, isClosed } from './closed-mark.ts';
import { SessionWindow } from './session-window.ts';

const CHOSEN = 1;
const NUMBERS = 2;
/** From format version 5 on. */
const EARLY = 4;
/** From format version 5 on: what lies beside it is a closed session's (closed-session.ts). */
const CLOSED_FLAG = 8;
/** Likewise: it closed, by an operator, as of a clock that its producer was ahead of (C6, Q4), so long before it had opened. */
const AHEAD = 16;

/** Written in one piece, flags and all: a number below 128 is its own varint. */
const numbers = new Float64Array(7);

/** A session whose head is read: its texts, and what disorder has left, come by themselves. */
export interface ReadSession extends SessionEntry {
  restoreDetail(numbers: DecodedNumbers): void;
}

/** `hasNumbersOnly`: where it is known that all of the detail is numbers. */
export function encodeHead(entry: SessionEntry, out: ByteWriter, hasNumbersOnly = false): number {
  const { detail, openedAt, firstOffset } = entry;
  const early = isEarly(entry) ? EARLY : 0;
  const closed = isClosed(entry) ? CLOSED_FLAG : 0;
  const since = entry.lastSeenAt - openedAt;
  const ahead = closed !== 0 && since < 0 ? AHEAD : 0;
  numbers[0] = (entry.timeoutChosen ? CHOSEN : 0) | (detail === undefined ? 0 : NUMBERS) | early | closed | ahead;
  numbers[1] = openedAt;
  numbers[2] = ahead === 0 ? since : -since;
  numbers[3] = early === 0 ? firstOffset : 0;
  numbers[4] = entry.lastOffset - firstOffset;
  numbers[5] = entry.eventCount;
  numbers[6] = closed === 0 ? entry.timeoutMs : 0;
  out.varints(numbers, 7);
  if (detail === undefined) return 0;
  const before = out.length;
  if (hasNumbersOnly) encodeNumbersOnly(detail, out);
  else encodeNumbers(detail, detail.texts !== undefined, out);
  return out.length - before;
}

export function decodeHead(bytes: Uint8Array, start: number, end: number, entry: ReadSession): number {
  const input = new ByteReader(bytes, start, end);
  const flags = input.u8();
  if (flags > (CHOSEN | NUMBERS | EARLY | CLOSED_FLAG | AHEAD))
    throw new MalformedBytes(`a session with flags ${flags}`);
  entry.openedAt = input.varint();
  const since = input.varint();
  entry.lastSeenAt = entry.openedAt + ((flags & AHEAD) === 0 ? since : -since);
  entry.firstOffset = input.varint();
  entry.lastOffset = entry.firstOffset + input.varint();
  if ((flags & EARLY) !== 0) {
    if (entry.lastOffset !== 0) throw new MalformedBytes('early data with offsets');
    entry.firstOffset = NO_ACTIVITY;
    entry.lastOffset = NO_ACTIVITY;
  }
  entry.eventCount = input.varint();
  entry.timeoutMs = input.varint();
  entry.timeoutChosen = (flags & CHOSEN) !== 0;
  const found = (flags & NUMBERS) !== 0 ? decodeNumbers(input) : undefined;
  if ((flags & (CLOSED_FLAG | AHEAD)) !== 0) readClosedHead(flags, found, entry);
  if (found !== undefined) entry.restoreDetail(found);
  else entry.detail = undefined;
  return input.position;
}

function readClosedHead(flags: number, found: DecodedNumbers | undefined, entry: ReadSession): void {
  if ((flags & (EARLY | CLOSED_FLAG)) !== CLOSED_FLAG || entry.timeoutMs !== 0 || found?.hasDisorder !== true)
    throw new MalformedBytes('a closed session without what closed it');
  entry.timeoutMs = CLOSED;
}

function encodeTouch(entry: SessionWindow, { clock, position }: TouchBase, out: ByteWriter): void {
  numbers[0] = 2 * entry.eventCount + (entry.hasRow ? 1 : 0);
  numbers[1] = zigzag(clock - entry.lastSeenAt);
  numbers[2] = zigzag(position - entry.lastOffset);
  out.varints(numbers, 3);
}

function decodeTouch(
  bytes: Uint8Array,
  start: number,
  end: number,
  { clock, position }: TouchBase,
  entry: SessionWindow,
): void {
  const input = new ByteReader(bytes, start, end);
  const count = input.varint();
  entry.eventCount = Math.floor(count / 2);
  entry.lastSeenAt = clock - input.signedVarint();
  entry.lastOffset = position - input.signedVarint();
  if (
    count > 2 * COUNT_MAX + 1 ||
    (entry.lastSeenAt < entry.openedAt && !isClosed(entry)) ||
    entry.lastOffset < entry.firstOffset
  )
    throw new MalformedBytes('a touch of a session that says what it cannot have become');
  if (count % 2 === 1) entry.restoreDetail(decodeNumbers(input));
  if (input.remaining !== 0) throw new MalformedBytes(`${input.remaining} bytes after a touch of a session`);
}

function leastVersion(entry: SessionWindow): number {
  if (isEarly(entry)) return CHANGELOG_FORMAT_WITH_INPUTS;
  if (isClosed(entry)) return CHANGELOG_FORMAT_WITH_REVISIONS;
  if (entry.hasNumbersOnly) return 0;
  const { detail } = entry;
  if (detail === undefined) return 0;
  if (detail.disorder !== undefined) return CHANGELOG_FORMAT_WITH_DISORDER;
  if (detail.reduced !== undefined) return CHANGELOG_FORMAT_WITH_REDUCERS;
  if (detail.texts?.toldAt !== undefined) return CHANGELOG_FORMAT_WITH_UPDATES;
  return detail.hasSources ? CHANGELOG_FORMAT_WITH_SOURCES : 0;
}

export const sessionFormat: EntryFormat<SessionWindow> = {
  window: (memory) => new SessionWindow(memory),
  leastVersion,
  encode: (entry, out) => encodeHead(entry, out, entry.hasNumbersOnly),
  decode: decodeHead,
  encodeTouch,
  decodeTouch,
};
