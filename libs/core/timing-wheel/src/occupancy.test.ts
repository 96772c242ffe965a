import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { SLOTS } from './levels.ts';
import { Occupancy } from './occupancy.ts';

// A failure prints { seed, path }: rerun it with fc.assert(property, { seed, path }).
const slot = fc.integer({ min: 0, max: SLOTS - 1 });
const level = fc.integer({ min: 0, max: 2 });

describe('Occupancy', () => {
  test('finds the first occupied slot going round, as a walk over a set does', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ level, slot, marked: fc.boolean() }), { maxLength: 40 }),
        level,
        slot,
        (steps, asked, from) => {
          const occupancy = new Occupancy(3 * SLOTS);
          const marked = new Set<number>();
          for (const step of steps) {
            const bucket = step.level * SLOTS + step.slot;
            if (step.marked) occupancy.mark(bucket);
            else occupancy.unmark(bucket);
            if (step.marked) marked.add(bucket);
            else marked.delete(bucket);
          }
          const round = Array.from({ length: SLOTS }, (_, distance) => (from + distance) % SLOTS);
          const first = round.find((index) => marked.has(asked * SLOTS + index));
          expect(occupancy.isLevelEmpty(asked)).toBe(first === undefined);
          if (first !== undefined) expect(occupancy.firstFrom(asked, from)).toBe(first);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
