// How a process gets in at its brokers: certificates, passwords and tokens as they are now, since they are replaced while it runs.
//
// Owns: the TLS context last made, the tokens, whether a broker has ever let this process in, how many links use it.
// Does not own: where credentials come from (the caller), when to connect again (BrokerLink).
//
// Invariants
//   AC1  Credentials are asked for again for each connection, and for each login over it (KIP-368).
//   AC2  What has once been let in is not misconfigured: from then on a refusal may pass. Files are replaced one after the other,
//        and brokers hear of it at another time.
//   AC3  When the last that used it has gone, nothing of it goes on.
import { type Clock, type DurationMs, Misconfigured, Retriable } from '@flatline/base';
import { withinDeadline } from '@flatline/system';
import type { AuthenticationProviderArgs, Mechanism } from 'kafkajs';
import type { ConnectionOptions } from 'node:tls';
import type { Credentials, OAuthCredentials, SaslCredentials } from './credentials.ts';
import { type BearerToken, isAnswer, login } from './sasl-login.ts';
import { TlsContexts } from './tls-contexts.ts';
import { TokenSource } from './token-source.ts';

/** Longest time for reading credentials, which may be files of another machine. */
const READ_TIMEOUT_MS: DurationMs = 5_000;

export interface AccessOptions {
  readonly clock: Clock;
  /** Asked for each connection. What it throws as Misconfigured, is one until a broker has let this process in. */
  readonly credentials: () => Credentials | Promise<Credentials>;
  /** Told of failures without consequence yet: a token that cannot be renewed, and is still valid. */
  readonly onTrouble?: ((message: string) => void) | undefined;
  /** Prefix of `ssl` and `sasl` in messages. Default: `kafka.`, as in a configuration. */
  readonly settingsIn?: string;
}

/** In kafkajs' terms. */
export interface Entry {
  readonly ssl: ConnectionOptions | null;
  readonly sasl: Mechanism | null;
}

/** A setting in a message, and no host or path that begins like one: `kafka.ssl.corp:9093`, `/etc/kafka.sasl.password`. */
const SETTING = /(?<![\w./:-])kafka\.(?=(?:ssl|sasl)(?:\.[A-Za-z]+)?(?![\w-]|[.:][\w/]))/g;

export class KafkaAccess {
  readonly #options: AccessOptions;
  readonly #contexts = new TlsContexts();
  readonly #tokens: TokenSource;
  #wasLetIn = false;
  #uses = 0;

  constructor(options: AccessOptions) {
    const { clock, onTrouble } = options;
    this.#options = options;
    this.#tokens = new TokenSource({
      clock,
      onTrouble:
        onTrouble &&
        ((message) => {
          onTrouble(this.#inWords(message));
        }),
      renew: () => this.#renew(),
    });
  }

  /** Whoever connects by it says so, and calls what it is given once it no longer does: AC3. */
  use(): () => void {
    this.#uses += 1;
    this.#tokens.resume();
    return () => {
      this.#uses -= 1;
      if (this.#uses === 0) this.#tokens.rest();
    };
  }

  /** For the next connection. Fetches the token first: a connection would have to wait for it. @throws Retriable, Misconfigured */
  async entry(): Promise<Entry> {
    const { ssl, sasl } = await this.#credentials();
    if (sasl?.mechanism === 'oauthbearer') await this.#token(sasl);
    return { ssl: this.#contexts.optionsOf(ssl), sasl: sasl === undefined ? null : this.#mechanism(sasl.mechanism) };
  }

  /** A broker has completed a connection, login included. */
  letIn(): void {
    this.#wasLetIn = true;
  }

  /** AC2: what trying again may mend. */
  judged(error: Error): Error {
    return this.#wasLetIn && error instanceof Misconfigured ? new Retriable(error.message, error) : error;
  }

  /** The same, with settings called as whoever reads it has them: below, everything calls them as a configuration does. */
  worded<T>(error: T): T {
    if (this.#options.settingsIn === undefined || !(error instanceof Error)) return error;
    error.message = this.#inWords(error.message);
    if (error.stack !== undefined) error.stack = this.#inWords(error.stack);
    this.worded(error.cause);
    return error;
  }

  #inWords(text: string): string {
    const { settingsIn } = this.#options;
    return settingsIn === undefined ? text : text.replace(SETTING, settingsIn);
  }

  #credentials(): Promise<Credentials> {
    const { clock, credentials } = this.#options;
    const reading = (async () => await credentials())();
    return withinDeadline(clock, READ_TIMEOUT_MS, reading, () => {
      return new Retriable(
        `the certificates and secrets of kafka.ssl and kafka.sasl were not read within ${READ_TIMEOUT_MS} ms`,
      );
    });
  }

  /** kafkajs asks it for each login. */
  #mechanism(mechanism: SaslCredentials['mechanism']): Mechanism {
    return {
      mechanism,
      authenticationProvider: (exchange) => ({
        authenticate: async () => {
          const { sasl } = await this.#credentials();
          if (sasl?.mechanism === 'oauthbearer') await this.#loginByToken(exchange, sasl);
          else if (sasl !== undefined) await login(exchange, sasl);
        },
      }),
    };
  }

  async #loginByToken(exchange: AuthenticationProviderArgs, sasl: OAuthCredentials): Promise<void> {
    const token = await this.#token(sasl);
    try {
      await login(exchange, token);
    } catch (error) {
      if (error instanceof Misconfigured || isAnswer(error)) this.#tokens.refused(token.token);
      throw error;
    }
  }

  async #renew(): Promise<void> {
    const { sasl } = await this.#credentials();
    if (sasl?.mechanism === 'oauthbearer') await this.#token(sasl);
  }

  async #token(sasl: OAuthCredentials): Promise<BearerToken> {
    const token = await this.#tokens.token(sasl);
    return { mechanism: 'oauthbearer', token, extensions: sasl.extensions ?? {} };
  }
}

/** Credentials that stay what they are. */
export function fixedAccess(clock: Clock, credentials: Partial<Credentials> = {}): KafkaAccess {
  return new KafkaAccess({ clock, credentials: () => ({ ssl: false, sasl: undefined, ...credentials }) });
}
