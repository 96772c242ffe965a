// A closed session that data may still revise (S9): what the entry of its key is once the last open session has closed.
//
// Its head has the instant as of which it closed where a live one has when it was last seen, and no timeout: so its due instant,
// the end of the window, is the head's to say. The rest lies where disorder lies (disorder-bytes.ts), in front of the texts:
//
//   closed = aside · 0 (no other sessions) · closedAt − lastSeenAt signed varint · timeoutMs varint
//            · 1 if an event chose it, else 0, u8 · reason u8 (in the order of REASONS, and one: an operator's end) · revision varint
import { ByteReader, ByteWriter, MalformedBytes, type Millis } from '@flatline/base';
import type { CloseReason } from '@flatline/ports/formats';
import type { BytesSpan } from '../state-bytes.ts';
import { blankDetail, type SessionDetail } from './detail.ts';
import { readAside, readFlag, writeAside } from './disorder-bytes.ts';
import type { SessionEntry } from './entry.ts';
import { asideOf, type Fragment, fragmentOf } from './fragment.ts';
import { copyOf } from './growth.ts';
import { CLOSED } from './closed-mark.ts';

export interface ClosedSession {
  /** The session as it is known by now. */
  readonly fragment: Fragment;
  /** The instant as of which it closed: no revision changes it. */
  readonly closedAt: Millis;
  readonly reason: CloseReason;
  /** An operator has ended it (Q4). */
  readonly byOperator: boolean;
  /** The last summary's. */
  readonly revision: number;
}

const REASONS: readonly CloseReason[] = ['TIMEOUT', 'ENDED', 'MAX_DURATION', 'EVICTED'];
/** `ENDED` by an operator. */
const BY_OPERATOR = REASONS.length;

/** A copy of what the entry is. @throws MalformedBytes */
export function readClosed(entry: SessionEntry): ClosedSession {
  const { bytes, start, length } = entry.detail!.disorder!;
  const input = new ByteReader(bytes, start, start + length);
  const aside = readAside(input);
  if (input.varint() !== 0) throw new MalformedBytes('a closed session beside open ones');
  const closedAt = entry.lastSeenAt;
  const lastSeenAt = closedAt - input.signedVarint();
  const timeout = { timeoutMs: input.varint(), timeoutChosen: readFlag(input) };
  const number = input.u8();
  const byOperator = number === BY_OPERATOR;
  const reason = byOperator ? 'ENDED' : REASONS[number];
  if (reason === undefined) throw new MalformedBytes(`a closed session with the reason ${number}`);
  const fragment = fragmentOf({ ...copyOf(entry), lastSeenAt, ...timeout }, aside);
  return { fragment, closedAt, reason, byOperator, revision: input.varint() };
}

/** The head of an entry that is this. */
export function headOfClosed(closed: ClosedSession): SessionEntry {
  const { fragment, closedAt } = closed;
  const { openedAt, eventCount, firstOffset, lastOffset } = fragment;
  const times = { openedAt, lastSeenAt: closedAt, timeoutMs: CLOSED, timeoutChosen: false };
  return { ...times, eventCount, firstOffset, lastOffset, detail: detailOf(closed) };
}

function detailOf(closed: ClosedSession): SessionDetail {
  const { openedAt, lastSeenAt, detail } = closed.fragment;
  const section = encoded(closed);
  const disorder: BytesSpan = { bytes: section, start: 0, length: section.length };
  return { ...(detail ?? blankDetail(openedAt, lastSeenAt)), disorder };
}

function encoded({ fragment, closedAt, reason, byOperator, revision }: ClosedSession): Uint8Array {
  const out = new ByteWriter(64);
  writeAside(asideOf(fragment), out);
  out.varint(0);
  out.signedVarint(closedAt - fragment.lastSeenAt);
  out.varint(fragment.timeoutMs);
  out.u8(fragment.timeoutChosen ? 1 : 0);
  out.u8(byOperator ? BY_OPERATOR : REASONS.indexOf(reason));
  out.varint(revision);
  return out.copy();
}
