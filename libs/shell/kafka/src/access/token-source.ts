// Tokens of an OAuth 2 client (RFC 6749, 4.4): one for all connections, until shortly before it ends.
//
// Owns: the token, the one request under way for the next, when that is asked for.
// Does not own: credentials, logins.
//
// Invariants
//   TN1  One request at a time, and after one that failed the next waits for the back-off: until then its error is everybody's.
//   TN2  A token that cannot be renewed is used until it ends, also where the secret is another since.
//   TN3  No message has a secret or a token in it.
//   TN4  One that a broker refuses has the next login ask for another. Until there is another it is used: other brokers may take it.
//   TN5  From its time on it is renewed with or without a login, and one waits for that briefly while the old one lives:
//        an endpoint that hangs holds up no connection that can still be made. One whose life the endpoint does not say is
//        asked for by logins alone: otherwise an idle process would ask for ever.
//   TN6  At rest nothing is asked, and nothing is under way.
import { type Clock, type DurationMs, messageOf, Misconfigured, Retriable } from '@flatline/base';
import { BackOff, type BackOffLimits, withinDeadline } from '@flatline/system';
import type { OAuthCredentials } from './credentials.ts';
import { askForToken } from './token-request.ts';

/** Renewed so long before its end, or at half of a short life: earlier than a connection logs in again with it (KIP-368). */
const RENEW_EARLY_MS: DurationMs = 30_000;
const RENEW_SHARE = 2;
/** How long a login waits for another token while the one it has lives. */
const RENEWAL_WAIT_MS: DurationMs = 1_500;
/** At most one token for refusals in so long: the endpoint may not be what is wrong. */
const REFUSED_PAUSE_MS: DurationMs = 5_000;
/** Between questions that no login asks, whatever life an endpoint gives its tokens. */
const RENEWAL_PAUSE_MS: DurationMs = 5_000;
const TOKEN_BACK_OFF: BackOffLimits = { firstMs: 200, mostMs: 10_000 };

interface Token {
  readonly value: string;
  /** Who it is of, and the credentials it was got with: with another secret there is another token. */
  readonly client: string;
  readonly of: string;
  readonly isLifeSaid: boolean;
  /** Monotonic. */
  readonly renewAt: DurationMs;
  readonly endsAt: DurationMs;
}

interface Failure {
  readonly error: Error;
  readonly of: string;
  readonly until: DurationMs;
}

interface Asking {
  readonly of: string;
  readonly ending: AbortController;
  readonly answer: Promise<Token>;
}

export interface TokenSourceOptions {
  readonly clock: Clock;
  /** Asks for a token with the credentials as they are then: called when it is time for another (TN5). */
  readonly renew: () => Promise<unknown>;
  readonly onTrouble?: ((message: string) => void) | undefined;
}

export class TokenSource {
  readonly #options: TokenSourceOptions;
  readonly #clock: Clock;
  readonly #backOff = new BackOff(TOKEN_BACK_OFF);
  #token: Token | undefined;
  #asking: Asking | undefined;
  #failure: Failure | undefined;
  /** Monotonic. */
  #refusedUntil: DurationMs = 0;
  #cancelRenewal: (() => void) | undefined;
  #resting = false;

  constructor(options: TokenSourceOptions) {
    this.#options = options;
    this.#clock = options.clock;
  }

  /** @throws Retriable, Misconfigured: both name the endpoint and what it did. */
  async token(client: OAuthCredentials): Promise<string> {
    if (this.#resting) throw new Retriable('every connection is closed, so no token is asked for');
    const of = JSON.stringify([clientOf(client), client.clientSecret]);
    const kept = this.#token?.client === clientOf(client) ? this.#token : undefined;
    const now = this.#clock.monotonicMs();
    if (kept?.of === of && now < kept.renewAt) {
      if (this.#cancelRenewal === undefined) this.#renewInTime(kept);
      return kept.value;
    }
    const renewed = this.#renewed(client, of);
    return kept !== undefined && now < kept.endsAt ? await this.#soonOr(kept, renewed) : (await renewed).value;
  }

  /** TN4. A broker does not take this one. */
  refused(value: string): void {
    const now = this.#clock.monotonicMs();
    if (this.#token?.value !== value || now < this.#refusedUntil) return;
    this.#refusedUntil = now + REFUSED_PAUSE_MS;
    this.#token = { ...this.#token, renewAt: now };
  }

  /** Until `resume` (TN6). The token stays what it is. */
  rest(): void {
    this.#resting = true;
    this.#cancelRenewal?.();
    this.#cancelRenewal = undefined;
    this.#asking?.ending.abort();
    this.#asking = undefined;
  }

  resume(): void {
    this.#resting = false;
  }

  /** TN2, TN5. */
  async #soonOr(kept: Token, renewed: Promise<Token>): Promise<string> {
    const left = kept.endsAt - this.#clock.monotonicMs();
    const late = new Retriable('not yet');
    try {
      return (await withinDeadline(this.#clock, Math.min(RENEWAL_WAIT_MS, left), renewed, () => late)).value;
    } catch (error) {
      if (isExpected(error) && this.#clock.monotonicMs() < kept.endsAt) return kept.value;
      return (await renewed).value;
    }
  }

  #renewed(client: OAuthCredentials, of: string): Promise<Token> {
    if (this.#failure?.of === of && this.#clock.monotonicMs() < this.#failure.until)
      return Promise.reject(this.#failure.error);
    if (this.#asking?.of === of) return this.#asking.answer;
    // With credentials that are no longer so.
    this.#asking?.ending.abort();
    const ending = new AbortController();
    const asking = { of, ending, answer: this.#settled(client, of, ending) };
    this.#asking = asking;
    return asking.answer;
  }

  async #settled(client: OAuthCredentials, of: string, ending: AbortController): Promise<Token> {
    try {
      const token = await ask(client, { of, ending, clock: this.#clock });
      if (!ending.signal.aborted) this.#gotten(token);
      return token;
    } catch (error) {
      if (!ending.signal.aborted && isExpected(error)) this.#failed(error, client, of);
      throw error;
    } finally {
      if (this.#asking?.ending === ending) this.#asking = undefined;
    }
  }

  #gotten(token: Token): void {
    this.#token = token;
    this.#failure = undefined;
    this.#backOff.reset();
    this.#renewInTime(token);
  }

  #renewInTime({ isLifeSaid, renewAt }: Token): void {
    if (isLifeSaid) this.#renewAt(Math.max(renewAt, this.#clock.monotonicMs() + RENEWAL_PAUSE_MS));
  }

  #failed(error: Error, client: OAuthCredentials, of: string): void {
    const now = this.#clock.monotonicMs();
    this.#failure = { error, of, until: now + this.#backOff.nextDelayMs() };
    // No login could use that of another client.
    if (this.#token?.client !== clientOf(client) || now >= this.#token.endsAt) return;
    const leftMs = Math.round(this.#token.endsAt - now);
    this.#options.onTrouble?.(`the token of kafka.sasl cannot be renewed, and ends in ${leftMs} ms: ${error.message}`);
    this.#renewAt(this.#failure.until);
  }

  /** TN5. One is planned at most. */
  #renewAt(atMs: DurationMs): void {
    this.#cancelRenewal?.();
    this.#cancelRenewal = undefined;
    if (this.#resting) return;
    this.#cancelRenewal = this.#clock.after(Math.max(0, atMs - this.#clock.monotonicMs()), () => {
      this.#cancelRenewal = undefined;
      // A timer may fire a hair early, and would be answered with the failure that it was to wait out.
      if (this.#clock.monotonicMs() < atMs) {
        this.#renewAt(atMs);
        return;
      }
      this.#options.renew().catch((error: unknown) => {
        // Failures of the endpoint are told already; an unreadable file is for the next login to tell, and may be back by then.
        if (!isExpected(error))
          this.#options.onTrouble?.(`the token of kafka.sasl is not renewed: ${messageOf(error)}`);
        const now = this.#clock.monotonicMs();
        if (this.#cancelRenewal === undefined && this.#token !== undefined && now < this.#token.endsAt)
          this.#renewAt(now + TOKEN_BACK_OFF.mostMs);
      });
    });
  }
}

interface Surroundings {
  readonly of: string;
  readonly ending: AbortController;
  readonly clock: Clock;
}

async function ask(client: OAuthCredentials, { of, ending, clock }: Surroundings): Promise<Token> {
  // Before the question: what the answer took is a part of the token's life.
  const askedAt = clock.monotonicMs();
  const { value, isLifeSaid, lifetimeMs } = await askForToken(client, clock, ending);
  const early = Math.min(RENEW_EARLY_MS, lifetimeMs / RENEW_SHARE);
  return {
    value,
    client: clientOf(client),
    of,
    isLifeSaid,
    renewAt: askedAt + lifetimeMs - early,
    endsAt: askedAt + lifetimeMs,
  };
}

function clientOf({ tokenEndpoint, clientId, scope }: OAuthCredentials): string {
  return JSON.stringify([tokenEndpoint, clientId, scope]);
}

function isExpected(error: unknown): error is Error {
  return error instanceof Retriable || error instanceof Misconfigured;
}
