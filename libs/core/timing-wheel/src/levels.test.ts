import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  bucketFor,
  LEVELS,
  levelFor,
  SLOTS,
  slotOf,
  slotsAhead,
  slotStart,
  tickAtOrAfter,
  tickAtOrBefore,
} from './levels.ts';

// A failure prints { seed, path }: rerun it with fc.assert(property, { seed, path }).
const instant = fc.maxSafeInteger();
const tickMs = fc.oneof(fc.constantFrom(1, 3, 7, 10, 1000), fc.integer({ min: 1, max: 10_000_000 }));
/** A tick and a cursor before it, from neighbours to as far apart as instants can be. */
const ahead = fc
  .tuple(
    instant,
    fc.integer({ min: 0, max: 53 }).chain((bits) => fc.maxSafeNat().map((n) => n % 2 ** bits)),
  )
  .map(([cursor, distance]) => ({ cursor, tick: Math.min(cursor + 1 + distance, Number.MAX_SAFE_INTEGER) }))
  .filter(({ cursor, tick }) => tick > cursor);

describe('levels', () => {
  test('[W1] a deadline rounds up to a tick and the present down, exactly, for every safe integer', () => {
    fc.assert(
      fc.property(instant, tickMs, (at, width) => {
        const exact = BigInt(at);
        const tick = BigInt(width);
        const up = BigInt(tickAtOrAfter(at, width)) * tick;
        const down = BigInt(tickAtOrBefore(at, width)) * tick;
        expect(up >= exact && up < exact + tick).toBe(true);
        expect(down <= exact && down > exact - tick).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test('[W5] the distance of a slot index is the same at both ends of the safe integers', () => {
    for (const slot of [0, -1, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - SLOTS, 2 ** 40 + 3]) {
      const index = Number((((BigInt(slot) + 7n) % BigInt(SLOTS)) + BigInt(SLOTS)) % BigInt(SLOTS));
      expect(slotsAhead(slot, index)).toBe(7);
    }
  });

  test.each([
    [0, 0],
    [1, 0],
    [255, 0],
    [256, 1],
    [4095, 1],
    [4096, 2],
    [2 ** 31 - 1, 6],
    [2 ** 31, 6],
    [2 ** 32, 7],
    [2 ** 53, 12],
  ])('a distance of %d ticks belongs in level %d', (delta, level) => {
    expect(levelFor(delta)).toBe(level);
  });

  test('[W5] every tick ahead of the cursor has a slot from 1 to SLOTS - 1 ahead of the cursor’s, which contains it', () => {
    fc.assert(
      fc.property(ahead, ({ cursor, tick }) => {
        const bucket = bucketFor(tick, cursor);
        const level = Math.floor(bucket / SLOTS);
        const at = slotOf(cursor, level);
        const ahead = slotsAhead(at, bucket & (SLOTS - 1));
        expect(level).toBeLessThan(LEVELS);
        expect(ahead).toBeGreaterThanOrEqual(1);
        expect(slotStart(at + ahead, level)).toBeLessThanOrEqual(tick);
        expect(tick - slotStart(at + ahead, level)).toBeLessThan(16 ** level);
      }),
      { numRuns: 2000 },
    );
  });

  test('[W2] a slot above level 0 is at most a fifteenth as wide as the tick is away', () => {
    fc.assert(
      fc.property(ahead, ({ cursor, tick }) => {
        const level = Math.floor(bucketFor(tick, cursor) / SLOTS);
        fc.pre(level > 0);
        expect(16 ** level).toBeLessThanOrEqual((tick - cursor) / 15);
      }),
      { numRuns: 2000 },
    );
  });
});
