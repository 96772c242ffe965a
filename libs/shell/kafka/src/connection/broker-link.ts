// The connections to one broker address.
//
// Owns: one kafkajs Connection per lane, made when first used, thrown away at its first failure.
// Does not own: which node the address is, when to try again after an error (the callers).
//
// Invariants
//   LK1  A kafkajs Connection is never used again after an error, a timeout or a close: it keeps the bytes of a half-read
//        answer and would read them into the next one's.
//   LK2  At most one attempt to connect is under way per lane, and after a failed one the next waits for the back-off.
//   LK3  Every request is answered, or fails, within its time limit, whatever the wall clock does: a request that got no answer takes
//        its connection with it, since the answers behind it would not come either.
import { type DurationMs, messageOf, Misconfigured, Retriable } from '@flatline/base';
import Connection, { type ApiVersionRanges } from 'kafkajs/src/network/connection.js';
import type { Logger } from 'kafkajs/src/loggers/index.js';
import './kafkajs-patches.ts';
import { apiVersionsRequest, decodeApiVersions } from './api-versions.ts';
import { type Entry, fixedAccess, type KafkaAccess } from '../access/index.ts';
import { BackOff, RECONNECT_BACK_OFF, withinDeadline } from '@flatline/system';
import { translated } from './foreign-errors.ts';
import { exchange } from './framed-exchange.ts';
import {
  type BrokerAddress,
  CONNECT_TIMEOUT_MS,
  formatAddress,
  type KafkaOptions,
  REQUEST_TIMEOUT_MS,
} from './kafka-options.ts';
import { type AnswerDecoder, ApiKey, type KafkaRequest, type Lane, type SendOptions } from './kafka-request.ts';
import { openSocket } from './socket.ts';

/** A connection logs in again so long before its session ends (KIP-368), or for the last quarter of a short one. */
const LOGIN_EARLY_MS: DurationMs = 10_000;
const LOGIN_EARLY_SHARE = 4;
/** A broker takes none sooner after the last one, and calls it an illegal state: a second, by its own clock. */
const LOGIN_AGAIN_AFTER_MS: DurationMs = 1_100;

export class BrokerLink {
  readonly address: string;
  readonly #target: BrokerAddress;
  readonly #options: KafkaOptions;
  readonly #access: KafkaAccess;
  readonly #leave: () => void;
  readonly #logger: Logger;
  readonly #lanes = new Map<Lane, Promise<Connection>>();
  readonly #open = new Set<Connection>();
  readonly #backOff = new BackOff(RECONNECT_BACK_OFF);
  #notBeforeMs: DurationMs = 0;
  #closed = false;

  constructor(target: BrokerAddress, options: KafkaOptions, logger: Logger) {
    this.address = formatAddress(target);
    this.#target = target;
    this.#options = options;
    this.#access = options.access ?? fixedAccess(options.clock);
    this.#leave = this.#access.use();
    this.#logger = logger;
  }

  /** True while a connection stands: such a link is asked first. */
  get connected(): boolean {
    for (const connection of this.#open) if (connection.isConnected()) return true;
    return false;
  }

  /** Failed attempts to connect since the last success. */
  get failures(): number {
    return this.#backOff.failures;
  }

  /** @throws Retriable, Fatal. */
  async send<T>(request: KafkaRequest, decode: AnswerDecoder<T>, options: SendOptions = {}): Promise<T> {
    const doing = options.doing ?? `send ${request.apiName}`;
    try {
      const connection = await this.#connection(options.lane ?? 'prompt');
      const limitMs = options.timeoutMs ?? this.#options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
      return await this.#exchange(connection, { request, decode, limitMs });
    } catch (error) {
      const said = translated(error, doing, this.address);
      throw this.#access.worded(isOfConnection(error) ? this.#access.judged(said) : said);
    }
  }

  /** Ends every connection; requests under way are rejected with Retriable. */
  close(): void {
    if (!this.#closed) this.#leave();
    this.#closed = true;
    for (const connection of [...this.#open])
      this.#discard(connection, new Retriable(`closed the connection to ${this.address}`));
    this.#lanes.clear();
  }

  async #connection(lane: Lane): Promise<Connection> {
    const current = this.#lanes.get(lane);
    if (current !== undefined) {
      const connection = await current;
      if (connection.isConnected()) return connection;
      this.#discard(connection, new Retriable(`the connection to ${this.address} was lost`));
      // Another caller may have replaced it while this one waited.
      if (this.#lanes.get(lane) === current) this.#lanes.delete(lane);
      return this.#connection(lane);
    }
    const attempt = this.#connect();
    this.#lanes.set(lane, attempt);
    attempt.catch(() => {
      if (this.#lanes.get(lane) === attempt) this.#lanes.delete(lane);
    });
    return attempt;
  }

  async #connect(): Promise<Connection> {
    await this.#waitForBackOff();
    let connection: Connection | undefined;
    try {
      const entry = await this.#access.entry();
      if (this.#closed) throw new Retriable(`closed the connection to ${this.address}`);
      connection = this.#newConnection(entry);
      this.#open.add(connection);
      await this.#complete(connection);
      this.#backOff.reset();
      this.#options.onConnection?.({ kind: 'connected', broker: this.address });
      return connection;
    } catch (error) {
      this.#notBeforeMs = this.#options.clock.monotonicMs() + this.#backOff.nextDelayMs();
      if (connection !== undefined)
        this.#discard(connection, error instanceof Error ? error : new Error(String(error)));
      const explained = this.#access.worded(this.#judged(this.#explained(error), 'connect'));
      this.#tellFailure(explained);
      throw explained;
    }
  }

  async #complete(connection: Connection): Promise<void> {
    const limitMs = this.#options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS;
    await withinDeadline(this.#options.clock, limitMs, this.#handshake(connection), () => {
      return new Retriable(
        `${this.address} did not complete a connection within ${limitMs} ms; if it is up, it may not be a Kafka broker (brokers), or one that expects TLS (kafka.ssl)`,
      );
    });
    this.#access.letIn();
  }

  /** Judges a misconfiguration by what this process has seen of its brokers (AC2); returns other errors as they are. */
  #judged(error: unknown, doing: string): unknown {
    const said = translated(error, doing, this.address);
    return said instanceof Misconfigured ? this.#access.judged(said) : error;
  }

  #tellFailure(error: unknown): void {
    if (this.#closed) return;
    const why = messageOf(error);
    this.#options.onConnection?.({ kind: 'failed', broker: this.address, why });
  }

  /** A broker gives no reason where a client's TLS or SASL is not what the listener expects. */
  #explained(error: unknown): unknown {
    if (!(error instanceof Error) || error.name !== 'KafkaJSConnectionClosedError') return error;
    const advice = 'if it does so again, kafka.ssl and kafka.sasl are not as this listener expects';
    return new Retriable(`${this.address} closed the connection before it could be used: ${advice}`, error);
  }

  async #handshake(connection: Connection): Promise<void> {
    await connection.connect();
    const versions = await this.#request(connection, apiVersionsRequest(), decodeApiVersions);
    connection.setVersions(versions);
    connection.setSupportAuthenticationProtocol(supportsSaslAuthenticate(versions));
    await login(connection);
  }

  #exchange<T>(
    connection: Connection,
    { request, decode, limitMs }: { request: KafkaRequest; decode: AnswerDecoder<T>; limitMs: DurationMs },
  ): Promise<T> {
    return withinDeadline(this.#options.clock, limitMs, this.#request(connection, request, decode), () => {
      const error = new Retriable(`${this.address} did not answer ${request.apiName} within ${limitMs} ms`);
      this.#discard(connection, error);
      return error;
    });
  }

  async #request<T>(connection: Connection, request: KafkaRequest, decode: AnswerDecoder<T>): Promise<T> {
    // ApiVersions is asked before there is a session.
    if (request.apiKey !== ApiKey.apiVersions) await this.#again(connection);
    return decode(await exchange(connection, request));
  }

  /** Logs in once more where the session is about to end. One that is refused has lost its connection: the broker ends it. */
  async #again(connection: Connection): Promise<void> {
    try {
      await login(connection);
    } catch (error) {
      const judged = this.#access.worded(this.#judged(error, 'log in again'));
      this.#discard(connection, new Retriable(`${this.address} did not let this client in again`, judged));
      this.#tellFailure(judged);
      throw judged;
    }
  }

  #newConnection({ ssl, sasl }: Entry): Connection {
    const { clientId } = this.#options;
    return new Connection({
      ...this.#target,
      clientId,
      logger: this.#logger,
      socketFactory: (input) => openSocket(input, this.#options.answerMemory),
      ssl,
      sasl,
      connectionTimeout: this.#options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      requestTimeout: this.#options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      // kafkajs measures with the wall clock and keeps the connection: LK3 instead.
      enforceRequestTimeout: false,
      maxInFlightRequests: null,
      reauthenticationThreshold: LOGIN_EARLY_MS,
    });
  }

  #discard(connection: Connection, error: Error): void {
    if (!this.#open.delete(connection)) return;
    // A connection still being made is ended by an error of its socket: only that stops kafkajs' own timer.
    if (!connection.isConnected()) {
      connection.socket?.destroy(error);
      return;
    }
    connection.rejectRequests(error);
    // Nothing is pending any more, so this only marks it; the socket itself must not linger half-closed.
    void connection.disconnect();
    connection.socket?.destroy();
  }

  #waitForBackOff(): Promise<void> {
    const waitMs = this.#notBeforeMs - this.#options.clock.monotonicMs();
    if (waitMs <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#options.clock.after(waitMs, resolve);
    });
  }
}

/** Not of what was asked: one that stood and breaks in its TLS is lost, no more. */
function isOfConnection(error: unknown): boolean {
  return error instanceof Error && error.name === 'KafkaJSConnectionError';
}

/** How long before the end of a session of this life; less than nothing where that is shorter than a broker allows. */
export function loginEarlyMs(lifetimeMs: DurationMs): DurationMs {
  const early = Math.min(LOGIN_EARLY_MS, Math.floor(lifetimeMs / LOGIN_EARLY_SHARE));
  return Math.min(early, lifetimeMs - LOGIN_AGAIN_AFTER_MS);
}

/** kafkajs does nothing where there is no SASL, or a session with enough of its life left. */
async function login(connection: Connection): Promise<void> {
  await connection.authenticate();
  const lifetimeMs = connection.sessionLifetime.toNumber();
  if (lifetimeMs > 0) connection.reauthenticationThreshold = loginEarlyMs(lifetimeMs);
}

const SASL_AUTHENTICATE = 36;

function supportsSaslAuthenticate(versions: ApiVersionRanges): boolean {
  return versions[SASL_AUTHENTICATE] !== undefined;
}
