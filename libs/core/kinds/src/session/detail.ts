// Detail of a session: all that it keeps beyond a bare heartbeat's needs, and the bytes of its numbers in the changelog.
//
// The byte form is part of the changelog format: changing it needs a new format version (K9).
import { type ByteReader, type ByteWriter, MalformedBytes, type Millis, zigzag } from '@flatline/base';
import { RESTARTS_MAX } from './counts.ts';
import type { BytesSpan } from '../state-bytes.ts';
import type { SequenceWindow } from './sequence-window.ts';
import type { SessionTexts } from './texts.ts';

/**
 * The numbers of a session's events; absent where bare heartbeats in order say all there is. Belongs to the owner of
 * the entry: setting `sequence` or `texts` hands a value over, which is not to be changed through what was handed over.
 */
export interface SessionDetail {
  /** Event times of the earliest and the latest event. */
  startedAt: Millis;
  lastEventAt: Millis;
  duplicateCount: number;
  outOfOrderCount: number;
  /** Sequence of the unnamed source. */
  sequence: SequenceWindow | undefined;
  /** True if the texts have named sources (S5). */
  hasSources: boolean;
  /** Texts, kept only by sessions whose events have ids, types or attributes. */
  texts: SessionTexts | undefined;
  /** The key's other sessions in disorder (disorder-bytes.ts); undefined: none. */
  readonly disorder: BytesSpan | undefined;
  /** The reducer's state (S10), as StateReducer makes it; undefined: it was never called. */
  reduced: BytesSpan | undefined;
}

export function blankDetail(startedAt: Millis, lastEventAt: Millis): SessionDetail {
  return {
    startedAt,
    lastEventAt,
    duplicateCount: 0,
    outOfOrderCount: 0,
    sequence: undefined,
    hasSources: false,
    texts: undefined,
    disorder: undefined,
    reduced: undefined,
  };
}

const HAS_TEXTS = 1;
const HAS_SEQUENCE = 2;
/** From format version 4 on. */
const HAS_SOURCES = 4;
/** From format version 5 on. */
const HAS_DISORDER = 8;
/** Likewise. */
const HAS_REDUCED = 16;
const FLAGS = HAS_TEXTS | HAS_SEQUENCE | HAS_SOURCES | HAS_DISORDER | HAS_REDUCED;

/** Written in one piece, flags and all: a number below 128 is its own varint. */
const numbers = new Float64Array(8);

/** All but what lies in the state, of which it is said whether it is there. */
export function encodeNumbers(detail: SessionDetail, hasTexts: boolean, out: ByteWriter): void {
  const { hasSources, disorder, reduced } = detail;
  const elsewhere =
    (hasTexts ? HAS_TEXTS : 0) |
    (hasSources ? HAS_SOURCES : 0) |
    (disorder === undefined ? 0 : HAS_DISORDER) |
    (reduced === undefined ? 0 : HAS_REDUCED);
  writeNumbers(detail, elsewhere, out);
}

/** The same of one that has nothing in the state, and is not asked for it. */
export function encodeNumbersOnly(detail: SessionDetail, out: ByteWriter): void {
  writeNumbers(detail, 0, out);
}

function writeNumbers(detail: SessionDetail, elsewhere: number, out: ByteWriter): void {
  const { sequence } = detail;
  numbers[0] = elsewhere | (sequence === undefined ? 0 : HAS_SEQUENCE);
  numbers[1] = zigzag(detail.startedAt);
  numbers[2] = zigzag(detail.lastEventAt);
  numbers[3] = detail.duplicateCount;
  numbers[4] = detail.outOfOrderCount;
  out.varints(numbers, sequence === undefined ? 5 : encodeWindow(sequence, out));
}

/** Numbers as they were read, and what they say of the state. */
export interface DecodedNumbers {
  readonly detail: SessionDetail;
  readonly hasTexts: boolean;
  readonly hasDisorder: boolean;
  readonly hasReduced: boolean;
}

/** @throws MalformedBytes */
export function decodeNumbers(input: ByteReader): DecodedNumbers {
  const flags = input.u8();
  if (flags > FLAGS || (flags & (HAS_TEXTS | HAS_SOURCES)) === HAS_SOURCES)
    throw new MalformedBytes(`numbers of a session with flags ${flags}`);
  const detail = blankDetail(input.signedVarint(), input.signedVarint());
  detail.duplicateCount = input.varint();
  detail.outOfOrderCount = input.varint();
  detail.hasSources = (flags & HAS_SOURCES) !== 0;
  if ((flags & HAS_SEQUENCE) !== 0) detail.sequence = decodeWindow(input);
  return {
    detail,
    hasTexts: (flags & HAS_TEXTS) !== 0,
    hasDisorder: (flags & HAS_DISORDER) !== 0,
    hasReduced: (flags & HAS_REDUCED) !== 0,
  };
}

/** Writes what is in `numbers` before the window, and the window but for its last numbers, which are left there. Returns how many. */
function encodeWindow(window: SequenceWindow, out: ByteWriter): number {
  numbers[5] = window.lowest;
  numbers[6] = window.highest;
  out.varints(numbers, 7);
  out.u32(window.seenLow);
  out.u32(window.seenHigh);
  numbers[0] = window.received;
  numbers[1] = window.missingBefore;
  numbers[2] = window.restarts;
  return 3;
}

function decodeWindow(input: ByteReader): SequenceWindow {
  return {
    lowest: input.varint(),
    highest: input.varint(),
    seenLow: input.u32(),
    seenHigh: input.u32(),
    received: input.varint(),
    missingBefore: input.varint(),
    restarts: Math.min(input.varint(), RESTARTS_MAX),
  };
}
