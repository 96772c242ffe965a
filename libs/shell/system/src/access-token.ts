// Tokens for a processor's HTTP: made at random, and kept where they are asked for as their hashes alone.
//
// A token has 256 bits of the machine's secure generator, so one round of SHA-256 is as hard to go back through as the token is to
// guess. A slow hash (scrypt, Argon2) is for passwords, which people choose: here it would add nothing but a way to keep the
// processor busy with tokens that are none. The form sees to it that no password is hashed instead: it would not be taken.
import { hash, randomBytes } from 'node:crypto';

const ALGORITHM = 'sha256';
const BYTES = 32;
/** Begins with what scanners for leaked secrets look for. */
const TOKEN = /^flt_[A-Za-z0-9_-]{43}$/;
const HASH = /^sha256:[A-Za-z0-9_-]{43}$/;

export function newAccessToken(): string {
  return `flt_${randomBytes(BYTES).toString('base64url')}`;
}

export function isAccessToken(text: string): boolean {
  return TOKEN.test(text);
}

/** True for a text of the form of `accessTokenHash`, as a configuration has it. */
export function isAccessTokenHash(text: string): boolean {
  return HASH.test(text);
}

/** `sha256:` and the hash of the token's characters, in base64url. */
export function accessTokenHash(token: string): string {
  return `${ALGORITHM}:${hash(ALGORITHM, token, 'base64url')}`;
}

/** The bytes of the same, which take less time to compare. */
export function accessTokenDigest(token: string): Buffer {
  return hash(ALGORITHM, token, 'buffer');
}

/** The bytes that a hash says. */
export function digestOfHash(text: string): Buffer {
  return Buffer.from(text.slice(ALGORITHM.length + 1), 'base64url');
}
