import type { JudgedSecret } from '@flatline/oracle/deliveries';
import { createHmac, createPrivateKey, createPublicKey, verify } from 'node:crypto';
import type { DrawnSecret } from './scenario.ts';

/** PKCS #8 of an Ed25519 key, without its 32 bytes (RFC 8410). */
const ED25519_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Judges signatures as a receiver who knows the secret. */
export function judgedSecret({ version, bytes }: DrawnSecret): JudgedSecret {
  return {
    version,
    hasSigned: (signed, digest) =>
      version === 'v1'
        ? createHmac('sha256', bytes).update(signed).digest('base64') === digest
        : verify(null, signed, publicKey(bytes), Buffer.from(digest, 'base64')),
  };
}

function publicKey(seed: Buffer) {
  return createPublicKey(createPrivateKey({ key: Buffer.concat([ED25519_HEAD, seed]), format: 'der', type: 'pkcs8' }));
}
