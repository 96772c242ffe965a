// The keys of an OpenID Connect issuer, as it publishes them (OpenID Connect Discovery 1.0; RFC 7517).
//
// Owns: the keys, when they are asked for again.
// Does not own: what is signed with them.
//
// Invariants
//   IK1  One question at a time, and none sooner than PAUSE_MS after the last, however many tokens name a key that is not known:
//        a flood of them is no flood at the issuer.
//   IK2  Keys are used for KEPT_MS after the issuer last said them, whether or not it answers meanwhile, and not longer: a key that
//        it took back counts no more then.
//   IK3  The issuer's document names the issuer that was asked, letter by letter (Discovery, 4.3), and keys at an address with TLS.
import { type Clock, type DurationMs, Retriable } from '@flatline/base';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { askIssuer } from './issuer-question.ts';

/** A key that was taken back is taken for no longer where the issuer answers. */
const REFRESH_MS: DurationMs = 300_000;
const KEPT_MS: DurationMs = 86_400_000;
const PAUSE_MS: DurationMs = 10_000;

export interface IssuerKeysOptions {
  readonly issuer: string;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly onTrouble: (why: string) => void;
}

interface Said {
  readonly keys: JWTVerifyGetKey;
  /** Monotonic. */
  readonly atMs: DurationMs;
}

export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  readonly #ending = new AbortController();
  #said: Said | undefined;
  #asking: Promise<void> | undefined;
  #askedAtMs = -Infinity;
  #failure: Error | undefined;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
  }

  /** For `jwtVerify`. @throws Retriable where no keys are known now, JWKSNoMatchingKey where the issuer has no such key */
  readonly keyOf: JWTVerifyGetKey = async (header, token) => {
    const said = await this.#known();
    try {
      return await said.keys(header, token);
    } catch (error) {
      // Keys are replaced: a new one is named by tokens before it is known here.
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await this.#ask();
      return (this.#said ?? said).keys(header, token);
    }
  };

  close(): void {
    this.#ending.abort();
  }

  async #known(): Promise<Said> {
    const nowMs = this.#options.clock.monotonicMs();
    const ageMs = nowMs - (this.#said?.atMs ?? -Infinity);
    if (ageMs > KEPT_MS) await this.#ask();
    // Known keys serve on meanwhile.
    else if (ageMs > REFRESH_MS) void this.#ask();
    const said = this.#said;
    if (said !== undefined && nowMs - said.atMs <= KEPT_MS) return said;
    throw new Retriable(
      `the keys of ${this.#options.issuer} are not known: ${this.#failure?.message ?? 'it is asked'}`,
    );
  }

  /** IK1. Never rejects. */
  #ask(): Promise<void> {
    const { clock } = this.#options;
    if (this.#asking !== undefined) return this.#asking;
    if (clock.monotonicMs() - this.#askedAtMs < PAUSE_MS) return Promise.resolve();
    this.#askedAtMs = clock.monotonicMs();
    this.#asking = this.#askOnce().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #askOnce(): Promise<void> {
    const { issuer, clock, onTrouble } = this.#options;
    try {
      const keys = createLocalJWKSet(await keySetOf(issuer, this.#ending.signal));
      this.#said = { keys, atMs: clock.monotonicMs() };
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
      if (!this.#ending.signal.aborted) onTrouble(this.#failure.message);
    }
  }
}

async function keySetOf(issuer: string, ending: AbortSignal): Promise<JSONWebKeySet> {
  const document = await askIssuer(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, ending);
  if (document['issuer'] !== issuer)
    throw new Retriable(
      `the document of ${issuer} names the issuer ${JSON.stringify(document['issuer'])}: write http.auth.oidc.issuer as it does`,
    );
  const { jwks_uri: place } = document;
  const url = typeof place === 'string' ? URL.parse(place) : null;
  // One that is asked without TLS is on loopback, and so may its keys be.
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && issuer.startsWith('http:'));
  if (url === null || !isSecure)
    throw new Retriable(`the document of ${issuer} has no jwks_uri that begins with https://`);
  const found = await askIssuer(url.href, ending);
  if (!Array.isArray(found['keys'])) throw new Retriable(`${url.href} has no keys`);
  return found as unknown as JSONWebKeySet;
}
