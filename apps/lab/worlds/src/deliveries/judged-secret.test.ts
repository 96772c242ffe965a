import { expect, test } from '@jest/globals';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { judgedSecret } from './judged-secret.ts';

const SIGNED = Buffer.from('visits:0-1:0.1700000000.{}');

test('[N1] a receiver tells signatures by its secret from others', () => {
  const bytes = Buffer.alloc(32, 7);
  const { version, hasSigned } = judgedSecret({ version: 'v1', bytes });
  const digest = createHmac('sha256', bytes).update(SIGNED).digest('base64');
  expect(version).toBe('v1');
  expect(hasSigned(SIGNED, digest)).toBe(true);
  expect(hasSigned(Buffer.from('another'), digest)).toBe(false);
  expect(judgedSecret({ version: 'v1', bytes: Buffer.alloc(32, 8) }).hasSigned(SIGNED, digest)).toBe(false);
});

test('[N1] a receiver tells signatures by the private key of its own from others', () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const bytes = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
  const { version, hasSigned } = judgedSecret({ version: 'v1a', bytes });
  const digest = sign(null, SIGNED, privateKey).toString('base64');
  expect(version).toBe('v1a');
  expect(hasSigned(SIGNED, digest)).toBe(true);
  expect(hasSigned(Buffer.from('another'), digest)).toBe(false);
  expect(judgedSecret({ version: 'v1a', bytes: Buffer.alloc(32, 8) }).hasSigned(SIGNED, digest)).toBe(false);
});
