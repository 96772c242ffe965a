import { expect, test } from '@jest/globals';
import { ByteWriter, INSTANT_MAX } from '@flatline/base';
import fc from 'fast-check';
import { blankDetail, decodeDetail, encodeDetail, type SessionDetail } from './detail.ts';
import { plainTexts } from './session.fixture.ts';
import { blankTexts } from './texts.ts';

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
    types: fc.dictionary(fc.string({ unit: 'grapheme' }), count),
    attributes: fc.dictionary(fc.string(), fc.tuple(fc.string({ unit: 'grapheme' }), time)),
  })
  .map(({ truncated, eventIds, types, attributes, ...rest }) => {
    const texts = blankTexts();
    texts.truncated = truncated;
    for (const id of eventIds) texts.addEventId(id);
    for (const [type, of] of Object.entries(types)) texts.addType(type, of);
    for (const [name, [value, at]] of Object.entries(attributes)) texts.addAttribute(name, value, at);
    const none = !truncated && texts.textBytes === 0;
    return { ...blankDetail(0, 0), ...rest, texts: none ? undefined : texts };
  });

const plain = ({ texts, ...numbers }: SessionDetail): object => ({
  ...numbers,
  texts: texts && { ...plainTexts(texts), bytes: texts.textBytes, attribute: texts.attributeLength },
});

test('[R1] a detail comes back from its bytes as it was', () => {
  fc.assert(
    fc.property(details, (detail) => {
      const out = new ByteWriter(1);
      encodeDetail(detail, out);
      expect(plain(decodeDetail(out.copy()))).toEqual(plain(detail));
    }),
  );
});

/** As an earlier build wrote them, which looked at no range and could not read them itself. */
test.each([
  [
    'event times from 2^52 on',
    '008080808080808010feffffffffffff1f0000000000',
    { startedAt: 2 ** 52, lastEventAt: 2 ** 53 - 1 },
  ],
  ['more missing than is safe', '02d00fa01f00000000010000000000000001fcffffffffffff1f03000000', { startedAt: 1_000 }],
  ['far more missing', '02d00fa01f0000000001000000000000000180808080808080800203000000', { startedAt: 1_000 }],
])('[R1][K9] a detail of an older writer is read: %s', (what, hex, expected) => {
  const detail = decodeDetail(Uint8Array.from(Buffer.from(hex, 'hex')));
  expect(detail).toMatchObject(expected);
  if (what.includes('missing')) expect(detail.sequence?.missingBefore).toBe(Number.MAX_SAFE_INTEGER);
});
