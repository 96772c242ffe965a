// What a session keeps beyond a bare heartbeat's needs, and its bytes in a changelog image.
//
// The byte form is part of the changelog format: changing it needs a new format version (K9).
import { ByteReader, type ByteWriter, MalformedBytes, type Millis, zigzag } from '@flatline/base';
import type { SequenceWindow } from './sequence-window.ts';

export interface Attribute {
  readonly value: string;
  /** Event time of the event that set it: last write wins by event time (S10). */
  readonly at: Millis;
}

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
  sequence: SequenceWindow | undefined;
  texts: DetailTexts | undefined;
}

/** What only sessions keep whose events have ids, types or attributes. */
export interface DetailTexts {
  truncated: boolean;
  /** The last event ids, oldest first. */
  eventIds: string[];
  /** Counts of types other than HEARTBEAT. */
  countsByType: Map<string, number>;
  attributes: Map<string, Attribute>;
  /** Sum of the UTF-16 lengths of attribute names and values. */
  attributeLength: number;
  /** The same of event ids and types. */
  nameLength: number;
}

export function blankDetail(startedAt: Millis, lastEventAt: Millis): SessionDetail {
  return { startedAt, lastEventAt, duplicateCount: 0, outOfOrderCount: 0, sequence: undefined, texts: undefined };
}

export function blankTexts(): DetailTexts {
  const none = { eventIds: [], countsByType: new Map(), attributes: new Map() };
  return { truncated: false, ...none, attributeLength: 0, nameLength: 0 };
}

/** Bytes of one event id, type or attribute in an image beside its text: lengths, counts and times. */
const TEXT_OVERHEAD = 8;

/** About how many bytes of an image are texts, as if each UTF-16 unit were one: at most three times as many. */
export function textBytes(detail: SessionDetail | undefined): number {
  const texts = detail?.texts;
  if (texts === undefined) return 0;
  const { eventIds, countsByType, attributes, attributeLength, nameLength } = texts;
  return attributeLength + nameLength + TEXT_OVERHEAD * (eventIds.length + countsByType.size + attributes.size);
}

const TRUNCATED = 1;
const HAS_SEQUENCE = 2;

/** Written in one piece, flags and all: a number below 128 is its own varint. */
const numbers = new Float64Array(10);

export function encodeDetail(detail: SessionDetail, out: ByteWriter): void {
  const { sequence, texts } = detail;
  numbers[0] = (texts?.truncated === true ? TRUNCATED : 0) | (sequence === undefined ? 0 : HAS_SEQUENCE);
  numbers[1] = zigzag(detail.startedAt);
  numbers[2] = zigzag(detail.lastEventAt);
  numbers[3] = detail.duplicateCount;
  numbers[4] = detail.outOfOrderCount;
  const count = sequence === undefined ? 5 : encodeWindow(sequence, out);
  if (texts === undefined) {
    // No event ids, no types, no attributes.
    for (let list = 0; list < 3; list += 1) numbers[count + list] = 0;
    out.varints(numbers, count + 3);
    return;
  }
  out.varints(numbers, count);
  encodeTexts(texts, out);
}

function encodeTexts({ eventIds, countsByType, attributes }: DetailTexts, out: ByteWriter): void {
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

/** @throws MalformedBytes */
export function decodeDetail(bytes: Uint8Array, start = 0, end: number = bytes.length): SessionDetail {
  const input = new ByteReader(bytes, start, end);
  const flags = input.u8();
  const detail = blankDetail(input.signedVarint(), input.signedVarint());
  detail.duplicateCount = input.varint();
  detail.outOfOrderCount = input.varint();
  if ((flags & HAS_SEQUENCE) !== 0) detail.sequence = decodeWindow(input);
  detail.texts = decodeTexts(input, (flags & TRUNCATED) !== 0);
  if (input.remaining !== 0) throw new MalformedBytes(`${input.remaining} bytes after a session detail`);
  return detail;
}

/** undefined where there are none, as of a session that never had any. */
function decodeTexts(input: ByteReader, truncated: boolean): DetailTexts | undefined {
  const texts = blankTexts();
  texts.truncated = truncated;
  for (let left = input.varint(); left > 0; left -= 1) {
    const id = input.text();
    texts.eventIds.push(id);
    texts.nameLength += id.length;
  }
  for (let left = input.varint(); left > 0; left -= 1) {
    const type = input.text();
    texts.countsByType.set(type, input.varint());
    texts.nameLength += type.length;
  }
  for (let left = input.varint(); left > 0; left -= 1) {
    const name = input.text();
    const value = input.text();
    texts.attributes.set(name, { value, at: input.signedVarint() });
    texts.attributeLength += name.length + value.length;
  }
  const { eventIds, countsByType, attributes } = texts;
  return truncated || eventIds.length + countsByType.size + attributes.size > 0 ? texts : undefined;
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
    missingBefore: input.saturatedVarint(),
    restarts: input.varint(),
  };
}
