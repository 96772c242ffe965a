import { describe, expect, test } from '@jest/globals';
import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { hmacSha256, sha256 } from './sha256.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const bytes = fc.uint8Array({ maxLength: 200 });

describe('SHA-256, read a second time', () => {
  test('is what FIPS 180-4 and RFC 4231 say of their examples', () => {
    expect(hex(sha256(Buffer.from('abc')))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(hex(hmacSha256(Buffer.from('Jefe'), Buffer.from('what do ya want for nothing?')))).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  test('is what others reckon, whatever the lengths', () => {
    fc.assert(
      fc.property(bytes, bytes, (key, message) => {
        expect(hex(sha256(message))).toBe(createHash('sha256').update(message).digest('hex'));
        expect(hex(hmacSha256(key, message))).toBe(createHmac('sha256', key).update(message).digest('hex'));
      }),
      { numRuns: 300 },
    );
  });
});
