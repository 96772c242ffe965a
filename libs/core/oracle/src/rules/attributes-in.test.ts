import { describe, expect, test } from '@jest/globals';
import { eventIn, hashedOtherwise, keyedHash, mayBeHash, OTHER_KEY } from './attributes-in.ts';
import { isSame } from './differences.ts';

const rules = (hashKeyId: string, hashes = new Map([['one', keyedHash('a key of a judge')]])) => ({
  attributes: { allow: ['page'], hash: ['ip'], hashKeyId },
  hashes,
});
const event = {
  attributes: new Map([
    ['ip', '10.0.0.7'],
    ['page', '/'],
    ['mail', 'a@b'],
  ]),
};
const attributesIn = (found: { readonly attributes?: ReadonlyMap<string, string> | undefined }) => [
  ...(found.attributes ?? []),
];

describe('attributes, read a second time', () => {
  test('[E1] get in, are hashed, or stay out', () => {
    expect(attributesIn(eventIn(event, rules('one'), {}))).toEqual([
      // openssl dgst -sha256 -hmac 'a key of a judge' | cut -c1-32
      ['ip', 'cb1b5c2a65c3b7151e35cfee9fd02b2b'],
      ['page', '/'],
    ]);
  });

  test('[E1] of another key only the form can be said, in as many characters', () => {
    expect(attributesIn(eventIn(event, rules('two'), {}))[0]).toEqual(['ip', OTHER_KEY]);
    expect(OTHER_KEY).toHaveLength(32);
    expect(mayBeHash('0123456789abcdef0123456789abcdef', OTHER_KEY)).toBe(true);
    for (const found of ['10.0.0.7', OTHER_KEY, '0123456789ABCDEF0123456789abcdef', 7])
      expect(mayBeHash(found, OTHER_KEY)).toBe(false);
    expect(isSame({ ip: '0123456789abcdef0123456789abcdef' }, new Map([['ip', OTHER_KEY]]))).toBe(true);
    expect(hashedOtherwise(rules('two'))).toEqual([{ names: ['ip'], keyId: 'two' }]);
    expect(hashedOtherwise(rules('one'))).toEqual([]);
  });

  test('[E1][S8] each of several inputs has its own', () => {
    const several = { inputs: [{}, rules('one')], hashes: rules('one').hashes } as unknown as Parameters<
      typeof eventIn
    >[1];
    expect(eventIn(event, several, {})).toBe(event);
    expect(attributesIn(eventIn(event, several, { input: 1 })).map(([name]) => name)).toEqual(['ip', 'page']);
  });
});
