// Bytes that sessions count towards `maxStateBytes` (I7), by the layout of their texts in docs/FORMATS.md.
import { reducedSize } from '../reducing/naive-reducer.ts';
import type { SequenceSpan } from './sequence-span.ts';
import type { Session } from './session-state.ts';

/** Three numbers of 32 bits before the lists. */
const HEADER_BYTES = 12;
const POSITION_BYTES = 4;
const INSTANT_BYTES = 8;
/** Which sequences of a window were seen. */
const SEEN_BYTES = 8;
/** Before what disorder has left. */
const LENGTH_BYTES = 4;

const utf8 = new TextEncoder();

/** Bytes of disorder (C7), of the reducer's state (S10), and of the texts. */
export function stateSize(session: Session): number {
  return disorderSize(session) + reducedSize(session.reduced) + textsSize(session);
}

/** With its length before it. */
function disorderSize(session: Session): number {
  const { endedAt, absorbed, later, timeoutMs, closed } = session;
  if (endedAt === undefined && absorbed.length === 0 && later.length === 0 && closed === undefined) return 0;
  const ended = endedAt === undefined ? 0 : numberSize(timeoutMs) + 1 + numberSize(zigzag(endedAt));
  const images = later.map(imageSize).map((size) => numberSize(size) + size);
  const others = listSize(absorbed.map(numberSize)) + listSize(images);
  return LENGTH_BYTES + 1 + ended + others + closedSize(session);
}

/** S9: that an event chose the timeout, and the reason, take a byte each. */
function closedSize({ closed, lastSeenAt, timeoutMs }: Session): number {
  if (closed === undefined) return 0;
  const { closedAt, revision } = closed;
  return numberSize(zigzag(closedAt - lastSeenAt)) + numberSize(timeoutMs) + 2 + numberSize(revision);
}

function imageSize(session: Session): number {
  const { openedAt, lastSeenAt, firstOffset, lastOffset, eventCount, endedAt, timeoutMs } = session;
  const timeout = endedAt === undefined ? timeoutMs : 0;
  const head = [openedAt, lastSeenAt - openedAt, firstOffset, lastOffset - firstOffset, eventCount, timeout];
  return 1 + sum(head.map(numberSize)) + numbersSize(session) + stateSize(session);
}

function numbersSize({ startedAt, lastEventAt, duplicates, outOfOrder, sequence }: Session): number {
  const numbers = [zigzag(startedAt), zigzag(lastEventAt), duplicates, outOfOrder];
  if (sequence === undefined) return 1 + sum(numbers.map(numberSize));
  const { lowest, highest, received, missingBefore } = sequence;
  // Behind them no restarts.
  return 1 + sum([...numbers, lowest, highest, received, missingBefore, 0].map(numberSize)) + SEEN_BYTES;
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}

function textsSize(session: Session): number {
  const { hasTexts, eventIds, types, attributes } = session;
  if (!hasTexts) return 0;
  return (
    HEADER_BYTES +
    moreSize(session) +
    listSize(eventIds.map(textSize)) +
    listSize([...types].map(([type, count]) => textSize(type) + numberSize(count))) +
    listSize([...attributes].map(([name, { value, at }]) => textSize(name) + textSize(value) + numberSize(zigzag(at))))
  );
}

/** With the position of what follows: when it was told of, its sources. */
function moreSize({ toldAt, sources, missingOfForgotten }: Session): number {
  if (toldAt === undefined && sources === undefined) return 0;
  const told = toldAt === undefined ? 0 : INSTANT_BYTES;
  if (sources === undefined) return POSITION_BYTES + told;
  const sizes = sources.map(({ name, span }) => textSize(name) + spanSize(span));
  return POSITION_BYTES + told + numberSize(missingOfForgotten) + listSize(sizes);
}

function spanSize({ lowest, highest, received, missingBefore }: SequenceSpan): number {
  const numbers = [lowest, highest - lowest, received, missingBefore];
  return numbers.reduce((sum, number) => sum + numberSize(number), SEEN_BYTES);
}

function listSize(items: readonly number[]): number {
  return items.reduce((sum, size) => sum + size, numberSize(items.length));
}

function textSize(text: string): number {
  const { length } = utf8.encode(text);
  return numberSize(length) + length;
}

function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

/** A byte for each seven bits. */
function numberSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size += 1;
  return size;
}
