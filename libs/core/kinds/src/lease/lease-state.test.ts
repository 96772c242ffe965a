// Rerun a failure with the seed and path that fast-check prints, as parameters of fc.assert.
import { describe, expect, test } from '@jest/globals';
import { MalformedBytes } from '@flatline/base';
import { fuzz } from '@flatline/base/fuzz';
import fc from 'fast-check';
import { HeapBytes } from '../state-bytes.ts';
import { eviction } from '../acts/eviction.ts';
import { claimedBefore, type LeaseState, leaseState, nextWaitOf, stateBytes } from './lease-state.ts';

const text = fc.oneof(
  fc.constantFrom('', '\ufeffa', '\u0000', '😀', '__proto__', '\uffff'),
  fc.string({ unit: 'binary', maxLength: 9 }),
);
const claim = fc.record({
  requestId: fc.option(
    text.filter((id) => id.length > 0),
    { nil: undefined },
  ),
  attributes: fc.array(fc.tuple(text, text), { maxLength: 4 }).map((pairs) => new Map(pairs)),
});
const count = fc.oneof(fc.constantFrom(1, 127, 128, 2 ** 31, Number.MAX_SAFE_INTEGER), fc.integer({ min: 1 }));
const state: fc.Arbitrary<LeaseState> = fc.record({
  holder: claim,
  waiters: fc
    .array(fc.record({ offset: fc.maxSafeNat(), timeoutMs: count, waitsUntil: count, claim }), { maxLength: 5 })
    .map((waiters) => waiters.sort((a, b) => a.offset - b.offset))
    .filter((waiters) => waiters.every(({ offset }, i) => i === 0 || offset > waiters[i - 1]!.offset)),
});

describe('who holds a lease and who waits, as bytes', () => {
  test('[I5] what is kept is read back, wherever it lies', () => {
    fc.assert(
      fc.property(state, fc.nat(3), (kept, gap) => {
        const { bytes: own, length } = stateBytes(kept);
        const bytes = new Uint8Array(gap + length + 1).fill(0xee);
        bytes.set(own, gap);
        expect(leaseState({ bytes, start: gap, length })).toEqual(kept);
      }),
    );
  });

  test('[Q4] who has an attribute is read in place as it is when all is decoded', () => {
    const asked = fc.oneof(fc.constant(undefined), fc.tuple(text, text));
    fc.assert(
      fc.property(state, asked, fc.nat(20), fc.nat(3), (kept, other, waiting, gap) => {
        const claims = [kept.holder, ...kept.waiters.map(({ claim: each }) => each)];
        const all = claims.flatMap(({ attributes }) => [...attributes]);
        const [attribute, equals] = other ?? all[waiting % Math.max(1, all.length)] ?? ['', ''];
        const places = [0, 1, ...kept.waiters.flatMap(({ offset }) => [offset, offset + 1]), Infinity];
        const { name, value } = eviction(attribute, equals, 0, 0);
        const { bytes: own, length } = stateBytes(kept);
        const bytes = new Uint8Array(gap + length + 1).fill(0xee);
        bytes.set(own, gap);
        for (const place of places)
          expect(claimedBefore({ bytes, start: gap, length }, place, { name, value })).toEqual({
            holds: kept.holder.attributes.get(attribute) === equals,
            waits: kept.waiters.some(
              ({ offset, claim: { attributes } }) => offset < place && attributes.get(attribute) === equals,
            ),
          });
      }),
    );
  });

  test('[F14] damaged bytes are refused as malformed, or are another state', () => {
    const corpus = fc.sample(state, { numRuns: 30, seed: 1 }).map((kept) => stateBytes(kept).bytes.slice());
    const regressions = new URL('./fuzz-regressions.txt', import.meta.url);
    const feed = (damaged: Uint8Array): void => {
      try {
        const read = leaseState(new HeapBytes(damaged));
        expect(leaseState(stateBytes(read))).toEqual(read);
        nextWaitOf(read.waiters);
      } catch (error) {
        if (!(error instanceof MalformedBytes)) throw error;
      }
    };
    fuzz({ name: 'kinds/lease-state', corpus, regressions, feed }, 10_000);
  });
});
