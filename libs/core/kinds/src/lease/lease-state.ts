// Who holds a lease and who waits for it, as the bytes of its entry's state. The same bytes stand in the changelog.
//
//   state   empty: a holder without request id and attributes, and no waiters
//         | claim of the holder · count varint · waiters, in log order
//   waiter  offset varint · timeout ms varint · waits until varint · claim
//   claim   request id text (empty: none) · count varint · (name text · value text)…
//
// Read whole and written whole: only starts, and the end of a lease, look at it. What an eviction asks of each lease, again with each
// of its records, is read in place (`claimedBefore`).
import { ByteReader, ByteWriter, type DurationMs, MalformedBytes, type Millis } from '@flatline/base';
import type { BytesSpan } from '../state-bytes.ts';

/** Sender's part of a start. */
export interface Claim {
  readonly requestId: string | undefined;
  readonly attributes: ReadonlyMap<string, string>;
}

export interface Waiter {
  /** Where its start lies. */
  readonly offset: number;
  readonly timeoutMs: DurationMs;
  readonly waitsUntil: Millis;
  readonly claim: Claim;
}

export interface LeaseState {
  readonly holder: Claim;
  /** In log order. */
  readonly waiters: readonly Waiter[];
}

export const NO_CLAIM: Claim = { requestId: undefined, attributes: new Map() };

/** `ignoreBOM`: a leading U+FEFF is a character like any other. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** Scratch. */
const written = new ByteWriter(256);

/** Valid until the next call. */
export function stateBytes({ holder, waiters }: LeaseState): BytesSpan {
  written.clear();
  if (waiters.length > 0 || holder.requestId !== undefined || holder.attributes.size > 0) {
    writeClaim(holder);
    written.varint(waiters.length);
    for (const { offset, timeoutMs, waitsUntil, claim } of waiters) {
      written.varint(offset);
      written.varint(timeoutMs);
      written.varint(waitsUntil);
      writeClaim(claim);
    }
  }
  return { bytes: written.peek(), start: 0, length: written.length };
}

/** @throws MalformedBytes */
export function leaseState({ bytes, start, length }: BytesSpan): LeaseState {
  if (length === 0) return { holder: NO_CLAIM, waiters: [] };
  // A copy: what decodes texts takes no shared memory everywhere.
  const input = new ByteReader(bytes.slice(start, start + length));
  const holder = readClaim(input);
  const waiters: Waiter[] = [];
  for (let left = input.varint(); left > 0; left -= 1) waiters.push(readWaiter(input, waiters.at(-1)));
  if (input.remaining > 0) throw new MalformedBytes(`${input.remaining} bytes after the waiters of a lease`);
  return { holder, waiters };
}

/** An attribute, name and value each as the state holds it: its length in bytes as a varint, then UTF-8. */
export interface AttributeBytes {
  readonly name: Uint8Array;
  readonly value: Uint8Array;
}

/** Who has the attribute: the holder; and any waiter whose start lies below `place`. Nothing is decoded, and nothing is copied. */
export function claimedBefore(
  { bytes, start, length }: BytesSpan,
  place: number,
  { name, value }: AttributeBytes,
): { readonly holds: boolean; readonly waits: boolean } {
  const end = start + length;
  let at = start;
  const varint = (): number => {
    let [number, scale] = [0, 1];
    for (;;) {
      const byte = bytes[at++]!;
      number += (byte & 0x7f) * scale;
      if (byte < 0x80 || at >= end) return number;
      scale *= 0x80;
    }
  };
  const isText = (text: Uint8Array): boolean => {
    const from = at;
    const size = varint();
    at += size;
    if (at - from !== text.length) return false;
    for (let i = 0; i < text.length; i += 1) if (bytes[from + i] !== text[i]) return false;
    return true;
  };
  const hasAttribute = (): boolean => {
    const requestIdBytes = varint();
    at += requestIdBytes;
    let has = false;
    for (let left = varint(); left > 0 && at < end; left -= 1) {
      const isNamed = isText(name);
      if (isText(value) && isNamed) has = true;
    }
    return has;
  };
  if (length === 0) return { holds: false, waits: false };
  const holds = hasAttribute();
  for (let left = varint(); left > 0 && at < end; left -= 1) {
    // Waiters are in log order.
    if (varint() >= place) break;
    varint();
    varint();
    if (hasAttribute()) return { holds, waits: true };
  }
  return { holds, waits: false };
}

/** When the first of them has waited long enough; 0: there are none. */
export function nextWaitOf(waiters: readonly Waiter[]): Millis {
  return waiters.length === 0 ? 0 : Math.min(...waiters.map(({ waitsUntil }) => waitsUntil));
}

function writeClaim({ requestId = '', attributes }: Claim): void {
  written.text(requestId);
  written.varint(attributes.size);
  for (const [name, value] of attributes) {
    written.text(name);
    written.text(value);
  }
}

function readClaim(input: ByteReader): Claim {
  const requestId = readText(input);
  const attributes = new Map<string, string>();
  for (let left = input.varint(); left > 0; left -= 1) attributes.set(readText(input), readText(input));
  return { requestId: requestId === '' ? undefined : requestId, attributes };
}

function readWaiter(input: ByteReader, before: Waiter | undefined): Waiter {
  const [offset, timeoutMs, waitsUntil] = [input.varint(), input.varint(), input.varint()];
  if (before !== undefined && offset <= before.offset) throw new MalformedBytes('waiters of a lease are out of order');
  if (timeoutMs === 0 || waitsUntil === 0) throw new MalformedBytes('a waiter of a lease without a time');
  return { offset, timeoutMs, waitsUntil, claim: readClaim(input) };
}

function readText(input: ByteReader): string {
  try {
    return utf8.decode(input.block());
  } catch (error) {
    if (error instanceof MalformedBytes) throw error;
    throw new MalformedBytes('a text of a lease is not UTF-8');
  }
}
