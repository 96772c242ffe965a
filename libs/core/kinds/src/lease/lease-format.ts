// A lease as bytes: what a changelog block and the local store hold of it beside its key. Format version 1.
//
//   flags u8 (1: lock delay) · grantedAt varint · renewedAt varint · token varint · timeoutMs varint · renewals varint
//   · nextWaitAt varint · state, to the end
import { ByteReader, type ByteWriter, MalformedBytes } from '@flatline/base';
import type { EntryFormat } from '../contract.ts';
import { HeapBytes } from '../state-bytes.ts';
import { leaseState, nextWaitOf } from './lease-state.ts';
import { LeaseWindow } from './lease-window.ts';

const DELAYED = 1;
const RENEWALS_MAX = 2 ** 32 - 1;

/** The numbers of a lease: what its entry's head has of the kind. */
export type LeaseHead = Pick<
  LeaseWindow,
  'grantedAt' | 'renewedAt' | 'token' | 'timeoutMs' | 'nextWaitAt' | 'renewals' | 'delayed'
>;

export function encodeHead(head: LeaseHead, out: ByteWriter): void {
  out.u8(head.delayed ? DELAYED : 0);
  out.varint(head.grantedAt);
  out.varint(head.renewedAt);
  out.varint(head.token);
  out.varint(head.timeoutMs);
  out.varint(head.renewals);
  out.varint(head.nextWaitAt);
}

/** @throws MalformedBytes */
function decodeHead(input: ByteReader, head: LeaseHead): void {
  const flags = input.u8();
  if (flags > DELAYED) throw new MalformedBytes(`flags ${flags} of a lease`);
  head.delayed = flags === DELAYED;
  head.grantedAt = input.varint();
  head.renewedAt = input.varint();
  head.token = input.varint();
  head.timeoutMs = input.varint();
  const renewals = input.varint();
  if (renewals > RENEWALS_MAX) throw new MalformedBytes(`${renewals} renewals of a lease`);
  head.renewals = renewals;
  head.nextWaitAt = input.varint();
}

export const leaseFormat: EntryFormat<LeaseWindow> = {
  window: (memory) => new LeaseWindow(memory),
  encode: (entry, out) => {
    encodeHead(entry, out);
    const { bytes, start, length } = entry.state;
    out.raw(bytes, start, length);
  },
  decode: (bytes, start, end, entry) => {
    const input = new ByteReader(bytes, start, end);
    decodeHead(input, entry);
    const state = new HeapBytes(bytes.slice(input.position, end));
    const { waiters } = leaseState(state);
    if (entry.nextWaitAt !== nextWaitOf(waiters)) throw new MalformedBytes('a lease waits for none of its waiters');
    entry.state = state;
  },
};
