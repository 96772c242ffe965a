import { expect, test } from '@jest/globals';
import { webhookSecretOf } from '@flatline/config/webhook-secret';
import { createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { signatures } from './signature.ts';

const BODY = Buffer.from('{"type":"session.closed","data":{"name":"Zoë 🦊"}}');

function secretOf(text: string) {
  const secret = webhookSecretOf(text);
  if (typeof secret === 'string') throw new Error(secret);
  return secret;
}

function headersWith(signature: string, id: string, seconds: number): Record<string, string> {
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signature };
}

test('[N1] the published library of Standard Webhooks verifies it, by the old secret and by the new one', () => {
  const [old, fresh, other] = [24, 32, 64].map((bytes) => `whsec_${randomBytes(bytes).toString('base64')}`) as [
    string,
    string,
    string,
  ];
  const seconds = Math.floor(Date.now() / 1_000);
  const signed = signatures([old, fresh].map(secretOf), 'visits:0-17:0', seconds, BODY);
  const headers = headersWith(signed, 'visits:0-17:0', seconds);
  for (const secret of [old, fresh])
    expect(new Webhook(secret).verify(BODY.toString(), headers)).toMatchObject({ type: 'session.closed' });
  expect(() => new Webhook(other).verify(BODY.toString(), headers)).toThrow();
  expect(() => new Webhook(old).verify(`${BODY.toString()} `, headers)).toThrow();
  expect(() => new Webhook(old).verify(BODY.toString(), { ...headers, 'webhook-id': 'visits:0-18:0' })).toThrow();
});

test('[N1] an Ed25519 key signs as v1a, so that a receiver needs no secret', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const seed = Buffer.from((privateKey.export({ format: 'jwk' }) as { d: string }).d, 'base64url');
  const signed = signatures([secretOf(`whsk_${seed.toString('base64')}`)], 'a:1', 1_700_000_000, BODY);
  const [version, signature] = signed.split(',') as [string, string];
  expect(version).toBe('v1a');
  const content = Buffer.concat([Buffer.from('a:1.1700000000.'), BODY]);
  expect(
    verify(
      null,
      content,
      createPublicKey(publicKey.export({ format: 'pem', type: 'spki' })),
      Buffer.from(signature, 'base64'),
    ),
  ).toBe(true);
});

test.each([
  ['', /a secret as Standard Webhooks has them/],
  ['whsec_???', /a secret as Standard Webhooks has them/],
  [`whsec_${randomBytes(23).toString('base64')}`, /24 to 64 bytes in base64, not 23/],
  [`whsk_${randomBytes(31).toString('base64')}`, /an Ed25519 key of 32 or 64 bytes, not 31/],
])('[N1] what is no secret is refused in words that do not show it: %s', (text, why) => {
  expect(webhookSecretOf(text)).toMatch(why);
});
