// The key's open sessions beside the first one, which disorder has left (C7), as bytes of its entry's state:
//
//   disorder = aside · count of the others varint · for each, in the order of their times: length varint · image
//   aside    = 1 if it has ended, else 0, u8 · [timeoutMs varint · 1 if an event chose it, else 0, u8 · endedAt signed varint]
//              · count of the absorbed varint · for each: its first offset varint
//   image    = head, with numbers and no restarts (session-format.ts) · state (state-parts.ts), without others
//
// An ended session's head has the timeout 0, so its due instant is its head's to say.
import { ByteReader, ByteWriter, MalformedBytes } from '@flatline/base';
import { type BytesSpan, HeapBytes } from '../state-bytes.ts';
import { BehindPart } from './behind-part.ts';
import { stateOf } from './state-parts.ts';
import { blankDetail, type DecodedNumbers, type SessionDetail } from './detail.ts';
import type { SessionEntry } from './entry.ts';
import { type Aside, asideOf, type Fragment, fragmentOf, headOf } from './fragment.ts';
import { decodeHead, encodeHead, type ReadSession } from './session-format.ts';
import { SessionTexts } from './texts.ts';

const NOTHING_ASIDE: Aside = { ended: undefined, absorbed: [] };

/** The open sessions of the entry, in the order of their times: copies. */
export function readFragments(entry: SessionEntry): Fragment[] {
  const { detail } = entry;
  if (detail?.disorder === undefined) return [fragmentOf(entry, NOTHING_ASIDE)];
  const { bytes, start, length } = detail.disorder;
  const input = new ByteReader(bytes, start, start + length);
  const fragments = [fragmentOf(entry, readAside(input))];
  for (let left = input.varint(); left > 0; left -= 1) fragments.push(readImage(input.block()));
  return fragments;
}

/** The detail of an entry that holds them; undefined: it needs none. */
export function detailOfFragments(fragments: readonly [Fragment, ...Fragment[]]): SessionDetail | undefined {
  const [first, ...others] = fragments;
  const disorder = others.length > 0 || isAside(first) ? encodeDisorder(first, others) : undefined;
  return detailWith(first, disorder);
}

function isAside({ endedAt, absorbed }: Fragment): boolean {
  return endedAt !== undefined || absorbed.length > 0;
}

function detailWith({ openedAt, lastSeenAt, detail }: Fragment, disorder: Uint8Array | undefined): typeof detail {
  if (disorder === undefined) return detail;
  const span: BytesSpan = { bytes: disorder, start: 0, length: disorder.length };
  return { ...(detail ?? blankDetail(openedAt, lastSeenAt)), disorder: span };
}

function encodeDisorder(first: Fragment, others: readonly Fragment[]): Uint8Array {
  const out = new ByteWriter(256);
  writeAside(asideOf(first), out);
  out.varint(others.length);
  for (const other of others) out.block(imageOf(other));
  return out.copy();
}

export function writeAside({ ended, absorbed }: Aside, out: ByteWriter): void {
  out.u8(ended === undefined ? 0 : 1);
  if (ended !== undefined) {
    out.varint(ended.timeoutMs);
    out.u8(ended.timeoutChosen ? 1 : 0);
    out.signedVarint(ended.endedAt);
  }
  out.varint(absorbed.length);
  for (const offset of absorbed) out.varint(offset);
}

export function readAside(input: ByteReader): Aside {
  const isEnded = readFlag(input);
  const ended = isEnded
    ? { timeoutMs: input.varint(), timeoutChosen: readFlag(input), endedAt: input.signedVarint() }
    : undefined;
  const absorbed: number[] = [];
  for (let left = input.varint(); left > 0; left -= 1) absorbed.push(input.varint());
  return { ended, absorbed };
}

export function readFlag(input: ByteReader): boolean {
  const flag = input.u8();
  if (flag > 1) throw new MalformedBytes(`open sessions of a key with the flag ${flag}`);
  return flag === 1;
}

function imageOf(fragment: Fragment): Uint8Array {
  const { openedAt, lastSeenAt } = fragment;
  const detail = detailOfFragments([fragment]) ?? blankDetail(openedAt, lastSeenAt);
  const { sequence, disorder, reduced, texts } = detail;
  const out = new ByteWriter(128);
  encodeHead(headOf(fragment, { ...detail, sequence: sequence && { ...sequence, restarts: 0 } }), out);
  out.raw(stateOf(disorder, reduced, texts?.state));
  return out.copy();
}

function readImage(image: Uint8Array): Fragment {
  const head = new ReadHead();
  const stateAt = decodeHead(image, 0, image.length, head);
  const state = new HeapBytes(image.slice(stateAt));
  const behind = new BehindPart(state);
  const { detail } = head;
  const rest = head.hasDisorder ? new HeapBytes(behind.copy()) : state;
  if (detail !== undefined) {
    const behindReduced = new BehindPart(rest);
    if (head.hasReduced) detail.reduced = behindReduced.part;
    if (head.hasTexts) detail.texts = new SessionTexts(head.hasReduced ? new HeapBytes(behindReduced.copy()) : rest);
  }
  const { bytes, start, length } = head.hasDisorder ? behind.part : { bytes: image, start: 0, length: 0 };
  return fragmentOf(head, length === 0 ? NOTHING_ASIDE : readAside(new ByteReader(bytes, start, start + length)));
}

class ReadHead implements ReadSession {
  openedAt = 0;
  lastSeenAt = 0;
  timeoutMs = 0;
  timeoutChosen = false;
  eventCount = 0;
  firstOffset = 0;
  lastOffset = 0;
  detail: SessionDetail | undefined = undefined;
  hasTexts = false;
  hasDisorder = false;
  hasReduced = false;

  restoreDetail({ detail, hasTexts, hasDisorder, hasReduced }: DecodedNumbers): void {
    this.detail = detail;
    this.hasTexts = hasTexts;
    this.hasDisorder = hasDisorder;
    this.hasReduced = hasReduced;
  }
}
