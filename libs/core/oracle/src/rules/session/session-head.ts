// The head of a session as docs/FORMATS.md describes it, and the effect of a touch on it.
import { ByteWriter } from '@flatline/base';
import { BlockReader, NotABlock } from '../../logs/block-reader.ts';
import type { HeadTouch } from '../../logs/changelog-fold.ts';

export interface SessionHead {
  /** No activity was seen (S8). */
  readonly isEarly: boolean;
  /** It has closed (S9): in place of when it was last seen stands when it did, and the timeout is 0. */
  readonly isClosed: boolean;
  readonly timeoutChosen: boolean;
  readonly openedAt: number;
  readonly lastSeenAt: number;
  readonly firstOffset: number;
  readonly lastOffset: number;
  readonly eventCount: number;
  readonly timeoutMs: number;
  /** Encoded, as in the head; undefined: none. */
  readonly numbers: Uint8Array | undefined;
}

const TIMEOUT_CHOSEN = 1;
const NUMBERS = 2;
const EARLY = 4;
const CLOSED = 8;
/** It closed before it opened. */
const AHEAD = 16;
/** The offsets of early data. */
const NONE = -1;
/** Bytes of the numbers' bitmap, and its flag. */
const WORDS_BYTES = 8;
const SEQUENCE = 2;

/** @throws NotABlock */
export function readHead(bytes: BlockReader): SessionHead {
  const flags = bytes.byte();
  const isEarly = (flags & EARLY) !== 0;
  const openedAt = bytes.varint();
  const isAhead = (flags & AHEAD) !== 0;
  const since = bytes.varint();
  const lastSeenAt = isAhead ? openedAt - since : openedAt + since;
  const first = bytes.varint();
  const last = first + bytes.varint();
  if (isEarly && last > 0) throw new NotABlock('is early data with offsets');
  const [firstOffset, lastOffset] = isEarly ? [NONE, NONE] : [first, last];
  const eventCount = bytes.varint();
  const timeoutMs = bytes.varint();
  const numbers = (flags & NUMBERS) === 0 ? undefined : readNumbers(bytes);
  const timeoutChosen = (flags & TIMEOUT_CHOSEN) !== 0;
  const isClosed = (flags & CLOSED) !== 0;
  if (isAhead && !isClosed) throw new NotABlock('was last seen before it opened');
  if (isClosed && (isEarly || timeoutMs !== 0)) throw new NotABlock('is a closed session with a timeout, or none');
  return {
    isEarly,
    isClosed,
    timeoutChosen,
    openedAt,
    lastSeenAt,
    firstOffset,
    lastOffset,
    eventCount,
    timeoutMs,
    numbers,
  };
}

/** Returns the bytes of a head after a touch. @throws NotABlock */
export const touchedHead: HeadTouch = (head, touch, { clock, position }) => {
  const before = readHead(new BlockReader(head));
  const bytes = new BlockReader(touch);
  const count = bytes.varint();
  const hasNumbers = count % 2 === 1;
  const after = {
    ...before,
    eventCount: (count - Number(hasNumbers)) / 2,
    lastSeenAt: clock - bytes.signed(),
    lastOffset: position - bytes.signed(),
    numbers: hasNumbers ? readNumbers(bytes) : before.numbers,
  };
  if (!bytes.isAtEnd) throw new NotABlock('has bytes behind a touch');
  return written(after);
};

function readNumbers(bytes: BlockReader): Uint8Array {
  const out = new ByteWriter(64);
  const flags = bytes.byte();
  out.u8(flags);
  const copied = (count: number): void => {
    for (let i = 0; i < count; i += 1) out.varint(bytes.varint());
  };
  // Event times, which may take a bit more than a varint holds.
  for (let i = 0; i < 2; i += 1) out.signedVarint(bytes.signed());
  copied(2);
  if ((flags & SEQUENCE) !== 0) {
    copied(2);
    out.raw(bytes.bytes(WORDS_BYTES));
    copied(3);
  }
  return out.copy();
}

function written(head: SessionHead): Uint8Array {
  const { openedAt, lastSeenAt, firstOffset, lastOffset, eventCount, timeoutMs, numbers } = head;
  const isAhead = head.isClosed && lastSeenAt < openedAt;
  const out = new ByteWriter(64);
  out.u8(
    (head.timeoutChosen ? TIMEOUT_CHOSEN : 0) +
      (numbers === undefined ? 0 : NUMBERS) +
      (head.isEarly ? EARLY : 0) +
      (head.isClosed ? CLOSED : 0) +
      (isAhead ? AHEAD : 0),
  );
  for (const number of [
    openedAt,
    isAhead ? openedAt - lastSeenAt : lastSeenAt - openedAt,
    head.isEarly ? 0 : firstOffset,
    lastOffset - firstOffset,
    eventCount,
    timeoutMs,
  ]) {
    if (number < 0) throw new NotABlock('is touched before its beginning');
    out.varint(number);
  }
  if (numbers !== undefined) out.raw(numbers);
  return out.copy();
}
