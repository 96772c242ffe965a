// Tokens of an OAuth 2 client (RFC 6749, 4.4): one for all connections, until shortly before it ends.
//
// Owns: the token, the one request under way for the next.      Does not own: credentials, logins.
//
// Invariants
//   TN1  One request at a time, and after one that failed the next waits for the back-off: until then its error is everybody's.
//   TN2  A token that cannot be renewed is used until it ends.
//   TN3  No message has a secret or a token in it.
//   TN4  One that a broker refuses has the next login ask for another. Until there is another it is used: other brokers may take it.
import { type Clock, type DurationMs, Misconfigured, Retriable } from '@flatline/base';
import { BackOff, type BackOffLimits } from '@flatline/system';
import type { OAuthCredentials } from './credentials.ts';
import { askForToken } from './token-request.ts';

/** Renewed so long before its end, or at half of a short life: earlier than a connection logs in again with it (KIP-368). */
const RENEW_EARLY_MS: DurationMs = 30_000;
const RENEW_SHARE = 2;
/** At most one token for refusals in so long: the endpoint may not be what is wrong. */
const REFUSED_PAUSE_MS: DurationMs = 5_000;
const TOKEN_BACK_OFF: BackOffLimits = { firstMs: 200, mostMs: 10_000 };

interface Token {
  readonly value: string;
  /** Credentials it was got with: with others there is another. */
  readonly of: string;
  /** Monotonic. */
  readonly renewAt: DurationMs;
  readonly endsAt: DurationMs;
}

interface Failure {
  readonly error: Error;
  readonly of: string;
  readonly until: DurationMs;
}

export class TokenSource {
  readonly #clock: Clock;
  readonly #onTrouble: ((message: string) => void) | undefined;
  readonly #backOff = new BackOff(TOKEN_BACK_OFF);
  #token: Token | undefined;
  #asking: { readonly of: string; readonly answer: Promise<Token> } | undefined;
  #failure: Failure | undefined;
  /** Monotonic. */
  #refusedUntil: DurationMs = 0;

  constructor(clock: Clock, onTrouble?: (message: string) => void) {
    this.#clock = clock;
    this.#onTrouble = onTrouble;
  }

  /** @throws Retriable, Misconfigured: both name the endpoint and what it did. */
  async token(client: OAuthCredentials): Promise<string> {
    const of = JSON.stringify([client.tokenEndpoint, client.clientId, client.clientSecret, client.scope]);
    const kept = this.#token?.of === of ? this.#token : undefined;
    if (kept !== undefined && this.#clock.monotonicMs() < kept.renewAt) return kept.value;
    try {
      return (await this.#renewed(client, of)).value;
    } catch (error) {
      if (kept === undefined || this.#clock.monotonicMs() >= kept.endsAt || !isExpected(error)) throw error;
      const leftMs = Math.round(kept.endsAt - this.#clock.monotonicMs());
      this.#onTrouble?.(`the token of kafka.sasl cannot be renewed, and ends in ${leftMs} ms: ${error.message}`);
      return kept.value;
    }
  }

  /** TN4. A broker does not take this one. */
  refused(value: string): void {
    const now = this.#clock.monotonicMs();
    if (this.#token?.value !== value || now < this.#refusedUntil) return;
    this.#refusedUntil = now + REFUSED_PAUSE_MS;
    this.#token = { ...this.#token, renewAt: now };
  }

  async #renewed(client: OAuthCredentials, of: string): Promise<Token> {
    if (this.#failure?.of === of && this.#clock.monotonicMs() < this.#failure.until) throw this.#failure.error;
    if (this.#asking?.of === of) return this.#asking.answer;
    const asking = { of, answer: this.#ask(client, of) };
    this.#asking = asking;
    try {
      const token = await asking.answer;
      this.#token = token;
      this.#failure = undefined;
      this.#backOff.reset();
      return token;
    } catch (error) {
      if (isExpected(error))
        this.#failure = { error, of, until: this.#clock.monotonicMs() + this.#backOff.nextDelayMs() };
      throw error;
    } finally {
      if (this.#asking === asking) this.#asking = undefined;
    }
  }

  async #ask(client: OAuthCredentials, of: string): Promise<Token> {
    // Before the question: what the answer took is a part of the token's life.
    const askedAt = this.#clock.monotonicMs();
    const { value, lifetimeMs } = await askForToken(client, this.#clock);
    const early = Math.min(RENEW_EARLY_MS, lifetimeMs / RENEW_SHARE);
    return { value, of, renewAt: askedAt + lifetimeMs - early, endsAt: askedAt + lifetimeMs };
  }
}

function isExpected(error: unknown): error is Error {
  return error instanceof Retriable || error instanceof Misconfigured;
}
