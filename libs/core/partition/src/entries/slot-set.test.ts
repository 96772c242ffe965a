import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SlotSet } from './slot-set.ts';

// A failure prints { seed, path }: rerun it with fc.assert(property, { seed, path }).
const slot = fc.oneof(fc.nat(70), fc.nat(100_000));
const step = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), slot }),
  fc.record({ kind: fc.constant('delete' as const), slot }),
  fc.record({ kind: fc.constant('drain' as const) }),
);

/** Takes three at a time, and gives some of them back. */
function drained(set: SlotSet): number[] {
  const slots: number[] = [];
  const into = new Int32Array(3);
  for (let count = set.take(into, 3); count > 0; count = set.take(into, 3)) {
    const kept = Math.min(count, 1 + (slots.length % 3));
    slots.push(...into.subarray(0, kept));
    set.putBack(into, kept, count);
  }
  return slots;
}

function walked(set: SlotSet): number[] {
  const slots: number[] = [];
  for (let at = set.next(0); at >= 0; at = set.next(at + 1)) slots.push(at);
  return slots;
}

describe('a set of slots', () => {
  test('walks its slots in ascending order, and takes in those of another', () => {
    const slots = fc.array(slot, { maxLength: 60 });
    fc.assert(
      fc.property(slots, slots, (own, others) => {
        const [set, other] = [new SlotSet(), new SlotSet()];
        for (const each of own) set.add(each);
        for (const each of others) other.add(each);
        set.addAll(other);
        const model = [...new Set([...own, ...others])].sort((a, b) => a - b);
        expect(walked(set)).toEqual(model);
        expect(set.size).toBe(model.length);
        set.clear();
        expect([walked(set), set.size]).toEqual([[], 0]);
      }),
    );
  });

  test('CL1 holds what a set holds, and gives it back in ascending order', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const set = new SlotSet();
        const model = new Set<number>();
        for (const step of steps) {
          if (step.kind === 'drain') {
            expect(drained(set)).toEqual([...model].sort((a, b) => a - b));
            model.clear();
          } else {
            set[step.kind](step.slot);
            model[step.kind](step.slot);
          }
          expect(set.size).toBe(model.size);
        }
        expect(drained(set)).toEqual([...model].sort((a, b) => a - b));
        expect(set.size).toBe(0);
      }),
    );
  });

  test('CL1 every bit of a word is a slot of its own', () => {
    const set = new SlotSet();
    const slots = Array.from({ length: 65 }, (_, slot) => slot);
    for (const slot of slots.toReversed()) set.add(slot);
    expect(set.size).toBe(65);
    expect(drained(set)).toEqual(slots);
  });
});
