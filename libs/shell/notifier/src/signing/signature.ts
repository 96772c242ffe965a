// The signature of Standard Webhooks (N1): over id, timestamp and body, by each secret.
import type { WebhookSecret } from '@flatline/config';
import { createHmac, createPrivateKey, createSecretKey, type KeyObject, sign } from 'node:crypto';

/** PKCS #8 of an Ed25519 key (RFC 8410), all but the seed. */
const ED25519_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The header `webhook-signature`: one for each secret, so that whoever knows one of them is served during a rotation. */
export function signatures(secrets: readonly WebhookSecret[], id: string, seconds: number, body: Uint8Array): string {
  const signed = Buffer.concat([Buffer.from(`${id}.${seconds}.`), body]);
  return secrets.map((secret) => `${secret.version},${signatureOf(secret, signed)}`).join(' ');
}

/** A key is as dear to make as a signature. */
const keys = new WeakMap<WebhookSecret, KeyObject>();

function signatureOf(secret: WebhookSecret, signed: Buffer): string {
  const key = keys.get(secret) ?? keyOf(secret);
  keys.set(secret, key);
  if (secret.version === 'v1') return createHmac('sha256', key).update(signed).digest('base64');
  return sign(null, signed, key).toString('base64');
}

function keyOf({ version, bytes }: WebhookSecret): KeyObject {
  if (version === 'v1') return createSecretKey(bytes);
  const der = Buffer.concat([ED25519_PREFIX, bytes]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}
