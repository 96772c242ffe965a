// Slot order that every store demands of the changes it is given.
import { AssertionError } from '@flatline/base';
import type { StoreChanges } from './state-store.ts';

/** Asserts that slots ascend among the puts and among the removals, and that none is in both. */
export function assertSlotOrder({ puts, removals }: StoreChanges): void {
  let last = -1;
  for (const { slot } of puts) {
    if (!(slot > last)) throw unordered(slot);
    last = slot;
  }
  last = -1;
  let put = 0;
  for (const slot of removals) {
    if (!(slot > last)) throw unordered(slot);
    last = slot;
    while (put < puts.length && puts[put]!.slot < slot) put += 1;
    if (puts[put]?.slot === slot) throw new AssertionError('a slot is put or removed', { slot });
  }
}

function unordered(slot: number): AssertionError {
  return new AssertionError('slots of a write ascend', { slot });
}
