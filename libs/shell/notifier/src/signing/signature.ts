// The signature of Standard Webhooks (N1): over id, timestamp and body, by each secret.
import type { WebhookSecret } from '@flatline/config';
import { createHmac, createPrivateKey, sign } from 'node:crypto';

/** PKCS #8 of an Ed25519 key (RFC 8410), all but the seed. */
const ED25519_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The header `webhook-signature`: one for each secret, so that whoever knows one of them is served during a rotation. */
export function signatures(secrets: readonly WebhookSecret[], id: string, seconds: number, body: Uint8Array): string {
  const signed = Buffer.concat([Buffer.from(`${id}.${seconds}.`), body]);
  return secrets.map((secret) => `${secret.version},${signatureOf(secret, signed)}`).join(' ');
}

function signatureOf({ version, bytes }: WebhookSecret, signed: Buffer): string {
  if (version === 'v1') return createHmac('sha256', bytes).update(signed).digest('base64');
  const der = Buffer.concat([ED25519_PREFIX, bytes]);
  return sign(null, signed, createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).toString('base64');
}
