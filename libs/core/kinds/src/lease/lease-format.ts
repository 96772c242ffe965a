// The head of a lease as bytes: in the base of a changelog, in the local store, and what a touch changes of it.
//
//   head  = flags u8 (1: lock delay) · grantedAt varint · renewedAt varint · token varint · timeoutMs varint · renewals varint
//           · nextWaitAt varint
//   touch = flags u8 · clock − renewedAt signed · renewals varint · nextWaitAt varint
//
// Another holder is no touch: it reshapes the lease.
import { ByteReader, type ByteWriter, MalformedBytes } from '@flatline/base';
import type { EntryFormat, TouchBase } from '../contract.ts';
import { LeaseWindow } from './lease-window.ts';

const DELAYED = 1;
const RENEWALS_MAX = 2 ** 32 - 1;

/** The numbers of a lease: what its entry's head has of the kind. */
export type LeaseHead = Pick<
  LeaseWindow,
  'grantedAt' | 'renewedAt' | 'token' | 'timeoutMs' | 'nextWaitAt' | 'renewals' | 'delayed'
>;

function encodeHead(head: LeaseWindow, out: ByteWriter): number {
  out.u8(head.delayed ? DELAYED : 0);
  out.varint(head.grantedAt);
  out.varint(head.renewedAt);
  out.varint(head.token);
  out.varint(head.timeoutMs);
  const before = out.length;
  out.varint(head.renewals);
  out.varint(head.nextWaitAt);
  return out.length - before;
}

function decodeHead(bytes: Uint8Array, start: number, end: number, head: LeaseWindow): number {
  const input = new ByteReader(bytes, start, end);
  head.delayed = isDelayed(input);
  head.grantedAt = input.varint();
  head.renewedAt = input.varint();
  head.token = input.varint();
  head.timeoutMs = input.varint();
  head.renewals = renewalsIn(input);
  head.nextWaitAt = input.varint();
  return input.position;
}

function encodeTouch(head: LeaseWindow, { clock }: TouchBase, out: ByteWriter): void {
  out.u8(head.delayed ? DELAYED : 0);
  out.signedVarint(clock - head.renewedAt);
}

function decodeTouch(bytes: Uint8Array, start: number, end: number, { clock }: TouchBase, head: LeaseWindow): void {
  const input = new ByteReader(bytes, start, end);
  head.delayed = isDelayed(input);
  const renewedAt = clock - input.signedVarint();
  if (renewedAt < 0) throw new MalformedBytes('a lease renewed before the beginning of time');
  head.renewedAt = renewedAt;
  head.renewals = renewalsIn(input);
  head.nextWaitAt = input.varint();
  if (input.remaining !== 0) throw new MalformedBytes(`${input.remaining} bytes after a touch of a lease`);
}

function isDelayed(input: ByteReader): boolean {
  const flags = input.u8();
  if (flags > DELAYED) throw new MalformedBytes(`flags ${flags} of a lease`);
  return flags === DELAYED;
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
