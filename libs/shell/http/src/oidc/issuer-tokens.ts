// Callers by tokens of an OpenID Connect issuer (JWT; RFC 7519, RFC 9068): of this issuer, for this audience, signed with one of its
// keys, of this time, with a role.
//
// Owns: tokens that were found good, for a short time.
// Does not own: the issuer's keys (IssuerKeys).
//
// Invariants
//   IT1  Nothing is taken from a token but behind its signature.
//   IT2  A token that was found good is taken for CACHED_MS, and no longer than it lives: checking a signature costs more than
//        a look-up.
import { type Clock, type DurationMs, type Millis, messageOf, Retriable } from '@flatline/base';
import { createHash } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import type { IssuedTokens } from '../access/admitting.ts';
import type { AuditLog } from '../access/audit.ts';
import { type Admission, type Role, ROLES } from '../access/roles.ts';
import { IssuerKeys } from './issuer-keys.ts';

/** A signature by a secret that both sides know (HS256), or none at all (none), is no issuer's. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
/** By how much an issuer's clock may differ from this machine's. */
const SKEW_SECONDS = 30;
const CACHED_MS: DurationMs = 60_000;
const CACHED_MAX = 1_000;
/** Longer ones are not looked at: checking costs in proportion. */
const TOKEN_LENGTH_MAX = 16_384;
const SUBJECT_SHOWN_MAX = 256;

export interface IssuerTokensOptions {
  readonly issuer: string;
  readonly audience: string;
  /** Name of a claim, or a JSON pointer to it. Its value: `read`, `admin`, or a list or a text of names with one of these. */
  readonly roleClaim: string;
  readonly clock: Pick<Clock, 'wallMs' | 'monotonicMs'>;
  readonly log: Pick<AuditLog, 'warn'>;
}

interface Good {
  readonly admission: Admission;
  readonly untilMs: Millis;
}

export class IssuerTokens implements IssuedTokens {
  readonly #options: IssuerTokensOptions;
  readonly #keys: IssuerKeys;
  /** By the hash of the token, in the order in which they were found good. */
  readonly #good = new Map<string, Good>();

  constructor(options: IssuerTokensOptions) {
    const { issuer, clock, log } = options;
    this.#options = options;
    this.#keys = new IssuerKeys({
      issuer,
      clock,
      onTrouble: (why) => {
        log.warn('the issuer of tokens for HTTP does not say its keys', { why });
      },
    });
  }

  admit(token: string): Admission | Promise<Admission> {
    if (token.length > TOKEN_LENGTH_MAX) return stranger(`it has ${token.length} characters`);
    const hash = createHash('sha256').update(token).digest('base64');
    const good = this.#good.get(hash);
    if (good !== undefined && this.#options.clock.wallMs() < good.untilMs) return good.admission;
    this.#good.delete(hash);
    return this.#verified(token, hash);
  }

  close(): void {
    this.#keys.close();
  }

  async #verified(token: string, hash: string): Promise<Admission> {
    const { issuer, audience, roleClaim, clock } = this.#options;
    const nowMs = clock.wallMs();
    try {
      const { payload } = await jwtVerify(token, this.#keys.keyOf, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: SKEW_SECONDS,
        currentDate: new Date(nowMs),
        requiredClaims: ['sub', 'exp'],
      });
      const admission = admissionOf(payload, roleClaim);
      this.#remember(hash, { admission, untilMs: Math.min(nowMs + CACHED_MS, payload.exp! * 1_000) });
      return admission;
    } catch (error) {
      if (error instanceof Retriable) return { kind: 'unknown', why: error.message };
      if (error instanceof errors.JOSEError) return stranger(error.message);
      return stranger(`it is none that can be read (${messageOf(error)})`);
    }
  }

  #remember(hash: string, good: Good): void {
    const [oldest] = this.#good.keys();
    if (this.#good.size >= CACHED_MAX && oldest !== undefined) this.#good.delete(oldest);
    this.#good.set(hash, good);
  }
}

function stranger(why: string): Admission {
  return { kind: 'stranger', why: `this token is not taken: ${why}` };
}

function admissionOf(payload: JWTPayload, roleClaim: string): Admission {
  const name = `oidc:${String(payload.sub).slice(0, SUBJECT_SHOWN_MAX)}`;
  const roles = namesIn(valueAt(payload, roleClaim));
  const role: Role | undefined = ROLES.toReversed().find((each) => roles.includes(each));
  if (role !== undefined) return { kind: 'caller', caller: { name, role } };
  const why = `the token's claim ${roleClaim} (http.auth.oidc.roleClaim) has neither read nor admin`;
  return { kind: 'forbidden', name, why };
}

function namesIn(value: unknown): readonly unknown[] {
  if (typeof value === 'string') return value.split(' ');
  return Array.isArray(value) ? value : [];
}

/** RFC 6901 where it begins with a slash; a claim's name is often a URL, and may hold dots. */
function valueAt(payload: JWTPayload, claim: string): unknown {
  if (!claim.startsWith('/')) return inner(payload, claim);
  const names = claim
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce<unknown>(inner, payload);
}

function inner(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
