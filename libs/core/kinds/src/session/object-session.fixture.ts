// The model that texts in bytes are tested against: what a session keeps as objects, with the rules written over them.
import { ByteWriter, type Millis } from '@flatline/base';
import { type Applied, type Occurrence, OTHER_TYPE, TYPES_MAX } from './apply-event.ts';
import { COUNT_MAX } from './counts.ts';
import { blankDetail, encodeNumbers, type SessionDetail } from './detail.ts';
import type { SessionEntry, SessionRules } from './entry.ts';
import { HEARTBEAT, STARTED, type SessionEvent } from '@flatline/ports/formats';
import { missingCount, noteSequence, openWindow, type SequenceWindow } from './sequence-window.ts';

interface Attribute {
  readonly value: string;
  /** Event time of the event that set it: last write wins by event time (S10). */
  readonly at: Millis;
}

/** Texts, kept only by sessions whose events have ids, types or attributes. */
export interface DetailTexts {
  truncated: boolean;
  /** The one least recently heard first. */
  sources: { readonly name: string; readonly window: SequenceWindow }[];
  missingOfForgotten: number;
  /** The last event ids, oldest first. */
  eventIds: string[];
  /** Counts of types other than HEARTBEAT. */
  countsByType: Map<string, number>;
  attributes: Map<string, Attribute>;
  /** Sum of the UTF-16 lengths of attribute names and values. */
  attributeLength: number;
}

export type ObjectDetail = Omit<SessionDetail, 'texts'> & { texts: DetailTexts | undefined };
export type ObjectEntry = Omit<SessionEntry, 'detail'> & { detail: ObjectDetail | undefined };

function blankObjects(startedAt: Millis, lastEventAt: Millis): ObjectDetail {
  return { ...blankDetail(startedAt, lastEventAt), texts: undefined };
}

function blankTexts(): DetailTexts {
  const none = { sources: [], missingOfForgotten: 0, eventIds: [], countsByType: new Map(), attributes: new Map() };
  return { truncated: false, ...none, attributeLength: 0 };
}

/** The bytes of a detail, texts written one by one. */
export function encodeObjects({ texts, ...numbers }: ObjectDetail): Uint8Array {
  const out = new ByteWriter();
  encodeNumbers({ ...numbers, texts: undefined }, texts !== undefined, out);
  if (texts !== undefined) encodeTexts(texts, out);
  return out.copy();
}

function encodeTexts({ eventIds, countsByType, attributes, ...named }: DetailTexts, out: ByteWriter): void {
  const sources = encodeSources(named);
  if (named.sources.length > 0) {
    // Behind three numbers of the header, and this one.
    out.u32(16 + sources.length);
    out.raw(sources);
  }
  out.varint(eventIds.length);
  for (const id of eventIds) out.text(id);
  out.varint(countsByType.size);
  for (const [type, count] of countsByType) {
    out.text(type);
    out.varint(count);
  }
  out.varint(attributes.size);
  for (const [name, attribute] of attributes) {
    out.text(name);
    out.text(attribute.value);
    out.signedVarint(attribute.at);
  }
}

function encodeSources({
  sources,
  missingOfForgotten,
}: Pick<DetailTexts, 'sources' | 'missingOfForgotten'>): Uint8Array {
  const out = new ByteWriter();
  out.varint(missingOfForgotten);
  out.varint(sources.length);
  for (const { name, window } of sources) {
    out.text(name);
    out.varint(window.lowest);
    out.varint(window.highest - window.lowest);
    out.u32(window.seenLow);
    out.u32(window.seenHigh);
    out.varint(window.received);
    out.varint(window.missingBefore);
  }
  return out.copy();
}

const PLAIN: Applied = { duplicate: false, clamped: false, forgottenSources: 0 };
const DUPLICATE: Applied = { duplicate: true, clamped: false, forgottenSources: 0 };
const CLAMPED: Applied = { duplicate: false, clamped: true, forgottenSources: 0 };

/** An event with a payload. */
export function applyToObjects(entry: ObjectEntry, rules: SessionRules, event: SessionEvent, at: Occurrence): Applied {
  const occurredAt = event.occurredAt ?? at.timestamp;
  // Asked for once: where details lie apart, each asking is a search.
  const detail = isNamed(event) ? detailOf(entry) : entry.detail;
  const known = detail?.texts?.sources.length ?? 0;
  const wasKnown = detail?.texts?.sources.some(({ name }) => name === event.source) === true;
  if (detail !== undefined && isDuplicate(detail, rules, event)) {
    touch(entry, at);
    return DUPLICATE;
  }
  const forgottenSources =
    known + (isOfSource(event, rules) && !wasKnown ? 1 : 0) - (detail?.texts?.sources.length ?? 0);
  noteEventTime(entry, detail, occurredAt, at.effectiveAt);
  touch(entry, at);
  const isCounted = countEvent(entry);
  if (event.type !== HEARTBEAT && isCounted) countType(textsOf(detailOf(entry)), event.type);
  if (event.attributes !== undefined) keepAttributes(textsOf(detailOf(entry)), rules, event.attributes, occurredAt);
  return { ...takeTimeout(entry, rules, event.timeoutMs), forgottenSources };
}

/** True if the event can be told from others, and so be a duplicate. */
function isNamed({ eventId, sequence }: SessionEvent): boolean {
  return sequence !== undefined || eventId !== undefined;
}

/** Counts the event. False if the count is full: then no type's count grows either, since together they are the events. */
function countEvent(entry: ObjectEntry): boolean {
  const { eventCount } = entry;
  if (eventCount >= COUNT_MAX) return false;
  entry.eventCount = eventCount + 1;
  return true;
}

function touch(entry: ObjectEntry, at: Occurrence): void {
  if (at.effectiveAt > entry.lastSeenAt) entry.lastSeenAt = at.effectiveAt;
  entry.lastOffset = at.offset;
}

/** The detail, made on first need: until then event times equal the effective times of the entry. */
function detailOf(entry: ObjectEntry): ObjectDetail {
  const { detail } = entry;
  if (detail !== undefined) return detail;
  entry.detail = blankObjects(entry.openedAt, entry.lastSeenAt);
  return entry.detail;
}

function textsOf(detail: ObjectDetail): DetailTexts {
  detail.texts ??= blankTexts();
  return detail.texts;
}

/** `known` is the entry's detail. Comes before `touch`: one made here starts from the times of the events before this one. */
function noteEventTime(
  entry: ObjectEntry,
  known: ObjectDetail | undefined,
  occurredAt: Millis,
  effectiveAt: Millis,
): void {
  // The newest in both senses: the entry's own times will say all there is to say.
  if (known === undefined && occurredAt === effectiveAt && occurredAt >= entry.lastSeenAt) return;
  noteOtherTime(entry, known, occurredAt);
}

/** Apart from the usual case, which V8 then inlines into what applies a bare heartbeat. */
function noteOtherTime(entry: ObjectEntry, known: ObjectDetail | undefined, occurredAt: Millis): void {
  let detail = known;
  if (entry.eventCount === 0) {
    if (detail === undefined) {
      entry.detail = blankObjects(occurredAt, occurredAt);
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

function isOfSource({ source, sequence }: SessionEvent, { maxSources }: SessionRules): boolean {
  return source !== undefined && sequence !== undefined && maxSources > 0;
}

/** False: it was seen before. */
function noteNumber(detail: ObjectDetail, rules: SessionRules, event: SessionEvent): boolean {
  const { sequence, source, type } = event;
  if (sequence === undefined) return true;
  if (source === undefined || !isOfSource(event, rules)) return noteNewSequence(detail, sequence, type === STARTED);
  detail.hasSources = true;
  const texts = textsOf(detail);
  const known = texts.sources.find(({ name }) => name === source);
  if (known !== undefined) {
    texts.sources = [...texts.sources.filter((each) => each !== known), known];
    return noteSequence(known.window, sequence, type === STARTED) !== 'duplicate';
  }
  while (texts.sources.length >= rules.maxSources)
    texts.missingOfForgotten += missingCount(texts.sources.shift()!.window);
  texts.sources.push({ name: source, window: openWindow(sequence) });
  return true;
}

function isDuplicate(detail: ObjectDetail, rules: SessionRules, event: SessionEvent): boolean {
  const { eventId } = event;
  if (eventId !== undefined && detail.texts?.eventIds.includes(eventId) === true) return countDuplicate(detail);
  if (!noteNumber(detail, rules, event)) return countDuplicate(detail);
  if (eventId !== undefined && rules.dedupeEventIds > 0) keepEventId(textsOf(detail), rules, eventId);
  return false;
}

function keepEventId(texts: DetailTexts, { dedupeEventIds }: SessionRules, eventId: string): void {
  const { eventIds } = texts;
  eventIds.push(eventId);
  if (eventIds.length > dedupeEventIds) eventIds.shift();
}

function noteNewSequence(detail: ObjectDetail, sequence: number, restartMarked: boolean): boolean {
  const window = detail.sequence;
  if (window !== undefined) return noteSequence(window, sequence, restartMarked) !== 'duplicate';
  detail.sequence = openWindow(sequence);
  return true;
}

function countDuplicate(detail: ObjectDetail): true {
  detail.duplicateCount = Math.min(detail.duplicateCount + 1, COUNT_MAX);
  return true;
}

function countType(texts: DetailTexts, type: string): void {
  const known = texts.countsByType.get(type);
  if (known === undefined && texts.countsByType.size >= TYPES_MAX) {
    texts.truncated = true;
    addToType(texts, OTHER_TYPE, texts.countsByType.get(OTHER_TYPE));
    return;
  }
  addToType(texts, type, known);
}

function addToType(texts: DetailTexts, type: string, known: number | undefined): void {
  texts.countsByType.set(type, (known ?? 0) + 1);
}

function keepAttributes(
  texts: DetailTexts,
  rules: SessionRules,
  attributes: ReadonlyMap<string, string>,
  at: Millis,
): void {
  for (const [name, value] of attributes) {
    const held = texts.attributes.get(name);
    if (held !== undefined && held.at > at) continue;
    const grown = texts.attributeLength + value.length - (held === undefined ? -name.length : held.value.length);
    if (grown > rules.maxAttributeBytes || (held === undefined && texts.attributes.size >= rules.maxAttributes)) {
      texts.truncated = true;
      continue;
    }
    texts.attributes.set(name, { value, at });
    texts.attributeLength = grown;
  }
}

function takeTimeout(entry: ObjectEntry, rules: SessionRules, chosen: number | undefined): Applied {
  if (chosen === undefined) {
    if (!entry.timeoutChosen) entry.timeoutMs = rules.timeoutMs;
    return PLAIN;
  }
  const clamped = Math.min(Math.max(chosen, rules.minTimeoutMs), rules.maxTimeoutMs);
  entry.timeoutMs = clamped;
  entry.timeoutChosen = true;
  return clamped === chosen ? PLAIN : CLAMPED;
}
