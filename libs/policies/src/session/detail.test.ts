import { expect, test } from '@jest/globals';
import { ByteWriter } from '@flatline/base';
import fc from 'fast-check';
import { blankDetail, blankTexts, decodeDetail, encodeDetail, type SessionDetail } from './detail.ts';

const count = fc.nat({ max: 2 ** 40 });
const time = fc.integer({ min: -(2 ** 45), max: 2 ** 45 });
const word = fc.integer({ min: 0, max: 2 ** 32 - 1 });

const window = fc.record({
  lowest: count,
  highest: count,
  seenLow: word,
  seenHigh: word,
  received: count,
  missingBefore: count,
  restarts: count,
});

const details: fc.Arbitrary<SessionDetail> = fc
  .record({
    startedAt: time,
    lastEventAt: time,
    duplicateCount: count,
    outOfOrderCount: count,
    truncated: fc.boolean(),
    sequence: fc.option(window, { nil: undefined }),
    eventIds: fc.array(fc.string()),
    types: fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), count)),
    attributes: fc.array(fc.tuple(fc.string(), fc.string({ unit: 'grapheme' }), time)),
  })
  .map(({ truncated, eventIds, types, attributes, ...rest }) => {
    const texts = { ...blankTexts(), truncated, eventIds, countsByType: new Map(types) };
    for (const [name, value, at] of attributes) texts.attributes.set(name, { value, at });
    for (const [name, { value }] of texts.attributes) texts.attributeLength += name.length + value.length;
    for (const name of [...eventIds, ...texts.countsByType.keys()]) texts.nameLength += name.length;
    const none = !truncated && eventIds.length + types.length + attributes.length === 0;
    return { ...blankDetail(0, 0), ...rest, texts: none ? undefined : texts };
  });

test('[R1] a detail comes back from its bytes as it was', () => {
  fc.assert(
    fc.property(details, (detail) => {
      const out = new ByteWriter(1);
      encodeDetail(detail, out);
      expect(decodeDetail(out.copy())).toEqual(detail);
    }),
  );
});
