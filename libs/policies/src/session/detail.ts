// What a session keeps beyond a bare heartbeat's needs, and its bytes in a changelog image.
//
// The byte form is part of the changelog format: changing it needs a new format version (K9).
import { ByteReader, type ByteWriter, MalformedBytes, type Millis } from '@flatline/base';
import type { SequenceWindow } from './sequence-window.ts';

export interface Attribute {
  readonly value: string;
  /** Event time of the event that set it: last write wins by event time (S10). */
  readonly at: Millis;
}

export interface SessionDetail {
  /** Least and greatest event time, which may differ from the effective times of the entry. */
  startedAt: Millis;
  lastEventAt: Millis;
  duplicateCount: number;
  outOfOrderCount: number;
  truncated: boolean;
  sequence: SequenceWindow | undefined;
  /** The last event ids, oldest first. */
  eventIds: string[];
  /** Counts of types other than HEARTBEAT. */
  countsByType: Map<string, number>;
  attributes: Map<string, Attribute>;
  /** Sum of the UTF-16 lengths of attribute names and values. */
  attributeLength: number;
}

export function blankDetail(startedAt: Millis, lastEventAt: Millis): SessionDetail {
  return {
    startedAt,
    lastEventAt,
    duplicateCount: 0,
    outOfOrderCount: 0,
    truncated: false,
    sequence: undefined,
    eventIds: [],
    countsByType: new Map(),
    attributes: new Map(),
    attributeLength: 0,
  };
}

const TRUNCATED = 1;
const HAS_SEQUENCE = 2;

export function encodeDetail(detail: SessionDetail, out: ByteWriter): void {
  out.u8((detail.truncated ? TRUNCATED : 0) | (detail.sequence === undefined ? 0 : HAS_SEQUENCE));
  out.signedVarint(detail.startedAt);
  out.signedVarint(detail.lastEventAt);
  out.varint(detail.duplicateCount);
  out.varint(detail.outOfOrderCount);
  if (detail.sequence !== undefined) encodeWindow(detail.sequence, out);
  out.varint(detail.eventIds.length);
  for (const id of detail.eventIds) out.text(id);
  out.varint(detail.countsByType.size);
  for (const [type, count] of detail.countsByType) {
    out.text(type);
    out.varint(count);
  }
  out.varint(detail.attributes.size);
  for (const [name, attribute] of detail.attributes) {
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
  detail.truncated = (flags & TRUNCATED) !== 0;
  detail.duplicateCount = input.varint();
  detail.outOfOrderCount = input.varint();
  if ((flags & HAS_SEQUENCE) !== 0) detail.sequence = decodeWindow(input);
  for (let left = input.varint(); left > 0; left -= 1) detail.eventIds.push(input.text());
  for (let left = input.varint(); left > 0; left -= 1) detail.countsByType.set(input.text(), input.varint());
  for (let left = input.varint(); left > 0; left -= 1) {
    const name = input.text();
    const value = input.text();
    detail.attributes.set(name, { value, at: input.signedVarint() });
    detail.attributeLength += name.length + value.length;
  }
  if (input.remaining !== 0) throw new MalformedBytes(`${input.remaining} bytes after a session detail`);
  return detail;
}

function encodeWindow(window: SequenceWindow, out: ByteWriter): void {
  out.varint(window.lowest);
  out.varint(window.highest);
  out.u32(window.seenLow);
  out.u32(window.seenHigh);
  out.varint(window.received);
  out.varint(window.missingBefore);
  out.varint(window.restarts);
}

function decodeWindow(input: ByteReader): SequenceWindow {
  return {
    lowest: input.varint(),
    highest: input.varint(),
    seenLow: input.u32(),
    seenHigh: input.u32(),
    received: input.varint(),
    missingBefore: input.varint(),
    restarts: input.varint(),
  };
}
