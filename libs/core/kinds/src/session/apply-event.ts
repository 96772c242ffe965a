// Applies an activity to a session (S1, S5–S7, S10). The caller has checked whether the session is due (S3).
import type { Millis } from '@flatline/base';
import { COUNT_MAX } from './counts.ts';
import { blankDetail, type SessionDetail } from './detail.ts';
import type { SessionEntry, SessionRules } from './entry.ts';
import { HEARTBEAT, STARTED, type SessionEvent } from '@flatline/ports/formats';
import { noteSequence, openWindow } from './sequence-window.ts';
import { noteSource, SEEN_BEFORE } from './sources.ts';
import { blankTexts, type SessionTexts } from './texts.ts';

/** Distinct types counted by name per session; further ones are counted as `OTHER` and the summary says `truncated`. */
export const TYPES_MAX = 32;
export const OTHER_TYPE = 'OTHER';
/**
 * Attributes of one event that are searched for in vain, each through all that the session holds, before the names held are
 * gathered: from then on a look-up takes no longer for more of them.
 */
const VAIN_SEARCHES_MAX = 32;

/** Where and when a record lies in the log. */
export interface Occurrence {
  readonly offset: number;
  /** docs/SPEC.md, Terms. */
  readonly effectiveAt: Millis;
  /** The record's own timestamp: its event time unless the payload has one. */
  readonly timestamp: Millis;
}

export interface Applied {
  readonly duplicate: boolean;
  /** The event's timeout lay outside [minTimeoutMs, maxTimeoutMs] (S7: never silent). */
  readonly clamped: boolean;
  /** Sources that were forgotten for the event's (S5). */
  readonly forgottenSources: number;
}

const PLAIN: Applied = { duplicate: false, clamped: false, forgottenSources: 0 };
const DUPLICATE: Applied = { ...PLAIN, duplicate: true };
const CLAMPED: Applied = { ...PLAIN, clamped: true };

/** Makes `entry` a session that has seen nothing yet. */
export function openSession(entry: SessionEntry, rules: SessionRules, at: Occurrence): void {
  entry.openedAt = at.effectiveAt;
  entry.lastSeenAt = at.effectiveAt;
  entry.timeoutMs = rules.timeoutMs;
  entry.timeoutChosen = false;
  entry.eventCount = 0;
  entry.firstOffset = at.offset;
  entry.lastOffset = at.offset;
  entry.detail = undefined;
}

/** A bare heartbeat: no payload, so its event time is the record's timestamp. */
export function applyHeartbeat(entry: SessionEntry, rules: SessionRules, at: Occurrence): void {
  noteEventTime(entry, entry.detail, at.timestamp, at.effectiveAt);
  touch(entry, at);
  if (!entry.timeoutChosen) entry.timeoutMs = rules.timeoutMs;
  // Tested for the one value: as good as free, where a comparison of two unsigned numbers is not.
  const { eventCount } = entry;
  if (eventCount !== COUNT_MAX) entry.eventCount = eventCount + 1;
}

/** An event with a payload. */
export function applyEvent(entry: SessionEntry, rules: SessionRules, event: SessionEvent, at: Occurrence): Applied {
  const occurredAt = event.occurredAt ?? at.timestamp;
  // Asked for once: where details lie apart, each asking is a search.
  const detail = isNamed(event) ? detailOf(entry) : entry.detail;
  const forgottenSources = detail === undefined ? 0 : noteNames(detail, rules, event);
  if (forgottenSources === SEEN_BEFORE) {
    touch(entry, at);
    return DUPLICATE;
  }
  noteEventTime(entry, detail, occurredAt, at.effectiveAt);
  touch(entry, at);
  noteContent(entry, rules, event, occurredAt);
  const applied = takeTimeout(entry, rules, event.timeoutMs);
  return forgottenSources === 0 ? applied : { ...applied, forgottenSources };
}

/** True if the event says nothing but when it was and its number, as most do. */
export function saysNumbersOnly({ type, eventId, timeoutMs, attributes, source }: SessionEvent): boolean {
  return (
    type === HEARTBEAT &&
    eventId === undefined &&
    timeoutMs === undefined &&
    attributes === undefined &&
    source === undefined
  );
}

/** As `applyEvent`, of an event that says numbers only: short enough that V8 makes one piece of it. False: it is a duplicate. */
export function applyNumbers(entry: SessionEntry, rules: SessionRules, event: SessionEvent, at: Occurrence): boolean {
  const { sequence } = event;
  const detail = sequence === undefined ? entry.detail : detailOf(entry);
  if (sequence !== undefined && !noteNewSequence(detail!, sequence, false)) {
    countDuplicate(detail!);
    touch(entry, at);
    return false;
  }
  noteEventTime(entry, detail, event.occurredAt ?? at.timestamp, at.effectiveAt);
  touch(entry, at);
  countEvent(entry);
  if (!entry.timeoutChosen) entry.timeoutMs = rules.timeoutMs;
  return true;
}

/**
 * An event that only adds data (S8): its ids, its type, its attributes. It is no sign of life, tells neither start nor end, and
 * chooses no timeout.
 */
export function applyData(entry: SessionEntry, rules: SessionRules, event: SessionEvent, at: Occurrence): Applied {
  const detail = isNamed(event) ? detailOf(entry) : entry.detail;
  const forgottenSources = detail === undefined ? 0 : noteNames(detail, rules, event);
  if (forgottenSources === SEEN_BEFORE) return DUPLICATE;
  noteContent(entry, rules, event, event.occurredAt ?? at.timestamp);
  return forgottenSources === 0 ? PLAIN : { ...PLAIN, forgottenSources };
}

/** Counts the event, and keeps what it says. */
function noteContent(entry: SessionEntry, rules: SessionRules, event: SessionEvent, occurredAt: Millis): void {
  const isCounted = countEvent(entry);
  const { attributes, type } = event;
  const isTyped = type !== HEARTBEAT && isCounted;
  if (isTyped || attributes !== undefined) {
    const texts = textsOf(detailOf(entry));
    if (isTyped) countType(texts, type);
    if (attributes !== undefined) keepAttributes(texts, rules, attributes, occurredAt);
  }
}

/** True if the event can be told from others, and so be a duplicate. */
function isNamed({ eventId, sequence }: SessionEvent): boolean {
  return sequence !== undefined || eventId !== undefined;
}

/** Counts the event. False if the count is full: then no type's count grows either, since together they are the events. */
function countEvent(entry: SessionEntry): boolean {
  const { eventCount } = entry;
  if (eventCount >= COUNT_MAX) return false;
  entry.eventCount = eventCount + 1;
  return true;
}

function touch(entry: SessionEntry, at: Occurrence): void {
  if (at.effectiveAt > entry.lastSeenAt) entry.lastSeenAt = at.effectiveAt;
  entry.lastOffset = at.offset;
}

/** The detail, made on first need: until then event times equal the effective times of the entry. */
function detailOf(entry: SessionEntry): SessionDetail {
  const { detail } = entry;
  if (detail !== undefined) return detail;
  entry.detail = blankDetail(entry.openedAt, entry.lastSeenAt);
  return entry.detail;
}

/** The texts, made on first need. */
export function textsOf(detail: SessionDetail): SessionTexts {
  const { texts } = detail;
  if (texts !== undefined) return texts;
  detail.texts = blankTexts();
  return detail.texts;
}

/** `known` is the entry's detail. Comes before `touch`: one made here starts from the times of the events before this one. */
function noteEventTime(
  entry: SessionEntry,
  known: SessionDetail | undefined,
  occurredAt: Millis,
  effectiveAt: Millis,
): void {
  // The newest in both senses: the entry's own times will say all there is to say.
  if (known === undefined && occurredAt === effectiveAt && occurredAt >= entry.lastSeenAt) return;
  noteOtherTime(entry, known, occurredAt);
}

/** Apart from the usual case, which V8 then inlines into what applies a bare heartbeat. */
function noteOtherTime(entry: SessionEntry, known: SessionDetail | undefined, occurredAt: Millis): void {
  let detail = known;
  if (entry.eventCount === 0) {
    if (detail === undefined) {
      entry.detail = blankDetail(occurredAt, occurredAt);
      return;
    }
    detail.startedAt = occurredAt;
    detail.lastEventAt = occurredAt;
    return;
  }
  detail ??= detailOf(entry);
  const { lastEventAt } = detail;
  if (occurredAt > lastEventAt) detail.lastEventAt = occurredAt;
  else if (occurredAt < lastEventAt) {
    detail.outOfOrderCount = Math.min(detail.outOfOrderCount + 1, COUNT_MAX);
    if (occurredAt < detail.startedAt) detail.startedAt = occurredAt;
  }
}

/** Notes what tells the event from others. Returns how many sources were forgotten for it, or `SEEN_BEFORE`. */
function noteNames(detail: SessionDetail, rules: SessionRules, event: SessionEvent): number {
  const { eventId } = event;
  if (eventId !== undefined && detail.texts?.hasEventId(eventId) === true) return countDuplicate(detail);
  const forgotten = noteNumber(detail, rules, event);
  if (forgotten === SEEN_BEFORE) return countDuplicate(detail);
  if (eventId !== undefined && rules.dedupeEventIds > 0) keepEventId(textsOf(detail), rules, eventId);
  return forgotten;
}

function noteNumber(detail: SessionDetail, { maxSources }: SessionRules, event: SessionEvent): number {
  const { sequence, source, type } = event;
  if (sequence === undefined) return 0;
  const isStart = type === STARTED;
  if (source === undefined || maxSources === 0) return noteNewSequence(detail, sequence, isStart) ? 0 : SEEN_BEFORE;
  detail.hasSources = true;
  return noteSource(textsOf(detail), { source, sequence, isStart }, maxSources);
}

function keepEventId(texts: SessionTexts, { dedupeEventIds }: SessionRules, eventId: string): void {
  texts.addEventId(eventId);
  // Several where the limit is lower than before.
  while (texts.eventIdCount > dedupeEventIds) texts.dropOldestEventId();
}

function noteNewSequence(detail: SessionDetail, sequence: number, restartMarked: boolean): boolean {
  const window = detail.sequence;
  if (window !== undefined) return noteSequence(window, sequence, restartMarked) !== 'duplicate';
  detail.sequence = openWindow(sequence);
  return true;
}

function countDuplicate(detail: SessionDetail): typeof SEEN_BEFORE {
  detail.duplicateCount = Math.min(detail.duplicateCount + 1, COUNT_MAX);
  return SEEN_BEFORE;
}

function countType(texts: SessionTexts, type: string): void {
  if (texts.countType(type)) return;
  if (texts.typeCount < TYPES_MAX) {
    texts.addType(type);
    return;
  }
  texts.truncated = true;
  if (!texts.countType(OTHER_TYPE)) texts.addType(OTHER_TYPE);
}

function keepAttributes(
  texts: SessionTexts,
  rules: SessionRules,
  attributes: ReadonlyMap<string, string>,
  at: Millis,
): void {
  texts.rewind();
  let vainSearches = 0;
  let names: Set<string> | undefined;
  for (const [name, value] of attributes) {
    const { attributeLength } = texts;
    // A name longer than all that is held together is not held, and its bytes need not be made.
    const isSought = name.length <= attributeLength && names?.has(name) !== false;
    const isHeld = isSought && texts.findAttribute(name);
    if (isSought && !isHeld && (vainSearches += 1) === VAIN_SEARCHES_MAX) names = texts.attributeNames();
    if (isHeld && texts.foundAt > at) continue;
    const grown = attributeLength + value.length - (isHeld ? texts.foundLength : -name.length);
    const isTooLong = grown > rules.maxAttributeBytes;
    if (isTooLong || (!isHeld && (names?.size ?? texts.attributeCount) >= rules.maxAttributes)) {
      texts.truncated = true;
    } else if (isHeld) {
      texts.replaceFound(value, at);
    } else {
      texts.addAttribute(name, value, at);
      names?.add(name);
    }
  }
}

function takeTimeout(entry: SessionEntry, rules: SessionRules, chosen: number | undefined): Applied {
  if (chosen === undefined) {
    if (!entry.timeoutChosen) entry.timeoutMs = rules.timeoutMs;
    return PLAIN;
  }
  const clamped = Math.min(Math.max(chosen, rules.minTimeoutMs), rules.maxTimeoutMs);
  entry.timeoutMs = clamped;
  entry.timeoutChosen = true;
  return clamped === chosen ? PLAIN : CLAMPED;
}
