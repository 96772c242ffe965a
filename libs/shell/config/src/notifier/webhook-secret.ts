// Secrets of an endpoint, as Standard Webhooks writes them: `whsec_` and base64 for HMAC (v1), `whsk_` and base64 for Ed25519 (v1a).

export type WebhookSecret =
  | { readonly version: 'v1'; readonly bytes: Buffer }
  /** The seed of the private key. */
  | { readonly version: 'v1a'; readonly bytes: Buffer };

const SYMMETRIC = 'whsec_';
const PRIVATE = 'whsk_';
/** As the specification says. */
const BYTES_LEAST = 24;
const BYTES_MOST = 64;
const SEED_BYTES = 32;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** In words why it is none. */
export function webhookSecretOf(text: string): WebhookSecret | string {
  const isPrivate = text.startsWith(PRIVATE);
  const digits = isPrivate ? text.slice(PRIVATE.length) : text.replace(SYMMETRIC, '');
  if (!BASE64.test(digits))
    return 'a secret as Standard Webhooks has them: "whsec_" and base64, or "whsk_" and the base64 of an Ed25519 key';
  const bytes = Buffer.from(digits, 'base64');
  if (isPrivate)
    return bytes.length === SEED_BYTES || bytes.length === 2 * SEED_BYTES
      ? { version: 'v1a', bytes: bytes.subarray(0, SEED_BYTES) }
      : `an Ed25519 key of ${SEED_BYTES} or ${2 * SEED_BYTES} bytes, not ${bytes.length}`;
  if (bytes.length >= BYTES_LEAST && bytes.length <= BYTES_MOST) return { version: 'v1', bytes };
  return `${BYTES_LEAST} to ${BYTES_MOST} bytes in base64, not ${bytes.length}: openssl rand -base64 32 makes them`;
}
