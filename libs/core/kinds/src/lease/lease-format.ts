// The head of a lease as bytes: in the base of a changelog, in the local store, and what a touch changes of it.
//
//   head  = flags u8 (1: lock delay, 2: terms) · grantedAt varint · renewedAt varint · token varint · timeoutMs varint
//           · [maxDurationMs varint · bucketMs varint] · renewals varint · nextWaitAt varint
//   touch = flags u8 (1: lock delay) · clock − renewedAt signed · renewals varint · nextWaitAt varint
//
// Another holder is no touch: it reshapes the lease.
import { ByteReader, type ByteWriter, MalformedBytes } from '@flatline/base';
import type { EntryFormat, TouchBase } from '../contract.ts';
import { LeaseWindow } from './lease-window.ts';

const DELAYED = 1;
const TERMS = 2;
const RENEWALS_MAX = 2 ** 32 - 1;

/** The numbers of a lease: what its entry's head has of the kind. */
export type LeaseHead = Pick<
  LeaseWindow,
  | 'grantedAt'
  | 'renewedAt'
  | 'token'
  | 'timeoutMs'
  | 'maxDurationMs'
  | 'bucketMs'
  | 'nextWaitAt'
  | 'renewals'
  | 'delayed'
>;

function encodeHead(head: LeaseWindow, out: ByteWriter): number {
  out.u8((head.delayed ? DELAYED : 0) + (head.hasRow ? TERMS : 0));
  out.varint(head.grantedAt);
  out.varint(head.renewedAt);
  out.varint(head.token);
  out.varint(head.timeoutMs);
  if (head.hasRow) {
    out.varint(head.maxDurationMs);
    out.varint(head.bucketMs);
  }
  const before = out.length;
  out.varint(head.renewals);
  out.varint(head.nextWaitAt);
  return out.length - before;
}

function decodeHead(bytes: Uint8Array, start: number, end: number, head: LeaseWindow): number {
  const input = new ByteReader(bytes, start, end);
  const flags = flagsIn(input, DELAYED + TERMS);
  head.delayed = (flags & DELAYED) !== 0;
  head.grantedAt = input.varint();
  head.renewedAt = input.varint();
  head.token = input.varint();
  head.timeoutMs = input.varint();
  if ((flags & TERMS) === 0) head.setTerms(0, 0);
  else readTerms(input, head);
  head.renewals = renewalsIn(input);
  head.nextWaitAt = input.varint();
  return input.position;
}

/** The flag says that there are some: a head has one form. */
function readTerms(input: ByteReader, head: LeaseWindow): void {
  const [maxDurationMs, bucketMs] = [input.varint(), input.varint()];
  if (maxDurationMs === 0 && bucketMs === 0) throw new MalformedBytes('terms of a lease that has none');
  head.setTerms(maxDurationMs, bucketMs);
}

function encodeTouch(head: LeaseWindow, { clock }: TouchBase, out: ByteWriter): void {
  out.u8(head.delayed ? DELAYED : 0);
  out.signedVarint(clock - head.renewedAt);
}

function decodeTouch(bytes: Uint8Array, start: number, end: number, { clock }: TouchBase, head: LeaseWindow): void {
  const input = new ByteReader(bytes, start, end);
  head.delayed = flagsIn(input, DELAYED) !== 0;
  const renewedAt = clock - input.signedVarint();
  if (renewedAt < 0) throw new MalformedBytes('a lease renewed before the beginning of time');
  head.renewedAt = renewedAt;
  head.renewals = renewalsIn(input);
  head.nextWaitAt = input.varint();
  if (input.remaining !== 0) throw new MalformedBytes(`${input.remaining} bytes after a touch of a lease`);
}

function flagsIn(input: ByteReader, most: number): number {
  const flags = input.u8();
  if (flags > most) throw new MalformedBytes(`flags ${flags} of a lease`);
  return flags;
}

function renewalsIn(input: ByteReader): number {
  const renewals = input.varint();
  if (renewals > RENEWALS_MAX) throw new MalformedBytes(`${renewals} renewals of a lease`);
  return renewals;
}

export const leaseFormat: EntryFormat<LeaseWindow> = {
  window: (memory) => new LeaseWindow(memory),
  encode: encodeHead,
  decode: decodeHead,
  encodeTouch,
  decodeTouch,
};
