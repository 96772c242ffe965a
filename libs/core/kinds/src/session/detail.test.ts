import { expect, test } from '@jest/globals';
import { ByteReader, ByteWriter, INSTANT_MAX } from '@flatline/base';
import fc from 'fast-check';
import { RESTARTS_MAX } from './counts.ts';
import { blankDetail, decodeNumbers, encodeNumbers } from './detail.ts';

const count = fc.oneof(fc.constantFrom(0, 2 ** 31, 2 ** 32 - 1, Number.MAX_SAFE_INTEGER), fc.maxSafeNat());
const time = fc.oneof(fc.constantFrom(0, 2 ** 52, INSTANT_MAX), fc.nat({ max: INSTANT_MAX }));
const word = fc.integer({ min: 0, max: 2 ** 32 - 1 });

const window = fc.record({
  lowest: count,
  highest: count,
  seenLow: word,
  seenHigh: word,
  received: count,
  missingBefore: count,
  restarts: fc.oneof(fc.constantFrom(0, RESTARTS_MAX), fc.nat({ max: RESTARTS_MAX })),
});

const details = fc.record({
  startedAt: time,
  lastEventAt: time,
  duplicateCount: count,
  outOfOrderCount: count,
  sequence: fc.option(window, { nil: undefined }),
});

test('[R1] the numbers of a detail come back from their bytes as they were', () => {
  fc.assert(
    fc.property(
      details,
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      (numbers, hasTexts, some, hasDisorder, hasReduced) => {
        const read = { ...blankDetail(0, 0), ...numbers, hasSources: hasTexts && some };
        const disorder = hasDisorder ? { bytes: new Uint8Array(1), start: 0, length: 1 } : undefined;
        const out = new ByteWriter(1);
        const reduced = hasReduced ? { bytes: new Uint8Array(1), start: 0, length: 1 } : undefined;
        encodeNumbers({ ...read, disorder, reduced }, hasTexts, out);
        const input = new ByteReader(out.copy());
        expect(decodeNumbers(input)).toEqual({ detail: read, hasTexts, hasDisorder, hasReduced });
        expect(input.remaining).toBe(0);
      },
    ),
  );
});
