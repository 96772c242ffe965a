// How many bytes of state an event needs (I7), before anything of it is applied.
import { copyBytes } from '@flatline/base';
import { HEARTBEAT, type SessionEvent } from '@flatline/ports/formats';
import { HeapBytes, spanOf } from '../state-bytes.ts';
import { applyEvent, type Occurrence, openSession, OTHER_TYPE } from './apply-event.ts';
import { blankDetail, type SessionDetail } from './detail.ts';
import type { SessionEntry, SessionRules } from './entry.ts';
import { SOURCE_STATE_BYTES, SOURCES_STATE_BYTES } from './sources.ts';
import { blankTexts, SessionTexts } from './texts.ts';
import { openTold } from './told.ts';

/** A character of UTF-16 in UTF-8, and the length before a text. */
const UNIT_BYTES = 3;
const LENGTH_BYTES = 5;
const TIME_BYTES = 8;
/** Three lists and a type have counts; each may take a byte more once it is counted up. */
const COUNTS_BYTES = 4;
/** Texts that say nothing yet. */
const NO_TEXTS_BYTES = blankTexts().state.length;

/** At most; 0: it needs none. */
export function growthAtMost(event: SessionEvent, { dedupeEventIds, maxSources }: SessionRules): number {
  const { type, sequence, attributes } = event;
  const eventId = dedupeEventIds > 0 ? event.eventId : undefined;
  const source = maxSources > 0 && sequence !== undefined ? event.source : undefined;
  if (type === HEARTBEAT && eventId === undefined && attributes === undefined && source === undefined) return 0;
  let bytes = NO_TEXTS_BYTES + COUNTS_BYTES + textBytes(OTHER_TYPE) + textBytes(type);
  if (eventId !== undefined) bytes += textBytes(eventId);
  if (source !== undefined) bytes += SOURCES_STATE_BYTES + SOURCE_STATE_BYTES + textBytes(source);
  for (const [name, value] of attributes ?? []) bytes += textBytes(name) + textBytes(value) + TIME_BYTES;
  return bytes;
}

/**
 * Exactly; less than 0: it gives some back. The event is applied to a copy. undefined: it opens a session, and all that this
 * has is meant.
 */
export function growthOf(
  entry: SessionEntry | undefined,
  rules: SessionRules,
  event: SessionEvent,
  at: Occurrence,
): number {
  const copy = entry === undefined ? opened(rules, at) : copyOf(entry);
  const before = entry === undefined ? 0 : stateLength(copy);
  applyEvent(copy, rules, event, at);
  return stateLength(copy) - before;
}

function textBytes(text: string): number {
  return UNIT_BYTES * text.length + LENGTH_BYTES;
}

function stateLength({ detail }: SessionEntry): number {
  return detail?.texts?.state.length ?? 0;
}

function opened(rules: SessionRules, at: Occurrence): SessionEntry {
  const { timeoutMs } = rules;
  const { offset, effectiveAt } = at;
  const times = { openedAt: effectiveAt, lastSeenAt: effectiveAt, timeoutMs, timeoutChosen: false };
  const entry = { ...times, eventCount: 0, firstOffset: offset, lastOffset: offset, detail: undefined };
  openSession(entry, rules, at);
  if (rules.updateIntervalMs !== undefined) openTold(entry);
  return entry;
}

/** Without what lies beside it (C7). Field by field: in a task they are accessors of a window. */
export function copyOf(entry: SessionEntry): SessionEntry {
  const { openedAt, lastSeenAt, timeoutMs, timeoutChosen, eventCount, firstOffset, lastOffset, detail } = entry;
  const head = { openedAt, lastSeenAt, timeoutMs, timeoutChosen, eventCount, firstOffset, lastOffset };
  return { ...head, detail: detail && copyOfDetail(detail) };
}

function copyOfDetail(detail: SessionDetail): SessionDetail {
  const copy = blankDetail(detail.startedAt, detail.lastEventAt);
  copy.duplicateCount = detail.duplicateCount;
  copy.outOfOrderCount = detail.outOfOrderCount;
  copy.hasSources = detail.hasSources;
  const { sequence, texts, reduced } = detail;
  if (reduced !== undefined)
    copy.reduced = spanOf(copyBytes(reduced.bytes, reduced.start, reduced.start + reduced.length));
  if (sequence !== undefined) {
    const { lowest, highest, seenLow, seenHigh, received, missingBefore, restarts } = sequence;
    copy.sequence = { lowest, highest, seenLow, seenHigh, received, missingBefore, restarts };
  }
  if (texts !== undefined) {
    const { bytes, start, length } = texts.state;
    copy.texts = new SessionTexts(new HeapBytes(bytes.slice(start, start + length)));
  }
  return copy;
}
