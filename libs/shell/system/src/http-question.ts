// One question over HTTP or HTTPS, with the authorities and the certificate of whoever asks, which Node's fetch takes none of.
import { type Clock, type DurationMs, messageOf } from '@flatline/base';
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import { urlToHttpOptions } from 'node:url';
import { systemClock } from './system-clock.ts';

/** Authorities of the other end (default: Node's), and what is shown where it asks for a certificate. */
export type HttpTrust = Omit<ConnectionOptions, 'host' | 'port' | 'path' | 'socket'>;

export interface HttpQuestion {
  readonly method?: 'GET' | 'POST' | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  readonly withinMs: DurationMs;
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** Nothing came within the time of a question: perhaps whoever has the address stands still. */
export class NoAnswer extends Error {}

/** A hundred entries have some kilobytes each. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const CONNECTIONS_MAX = 64;
/** Shorter than a server keeps it: otherwise a question may meet the end of its connection. */
const IDLE_MS: DurationMs = 4_000;

/** Keeps connections for the next questions. Redirects are answers: what goes along is for the address that was given, and no other. */
export class HttpAsker {
  readonly #trust: HttpTrust;
  readonly #clock: Clock;
  readonly #agents = new Map<string, HttpAgent>();

  /** `clock`: by which questions have their time. */
  constructor(trust: HttpTrust = {}, clock: Clock = systemClock) {
    this.#trust = trust;
    this.#clock = clock;
  }

  /** @throws Error that says why there is no answer */
  ask(url: string, { method = 'GET', headers = {}, body, withinMs }: HttpQuestion): Promise<HttpAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
    const address = urlToHttpOptions(new URL(url));
    const isSecure = address.protocol === 'https:';
    const sent = body === undefined ? headers : { ...headers, 'content-length': `${Buffer.byteLength(body)}` };
    const options = { ...address, method, headers: sent, agent: this.#agent(isSecure) };
    const request = (isSecure ? requestHttps : requestHttp)(options);
    // An AbortSignal, and reading by `for await`, cost as much as the question itself.
    const end = this.#clock.after(withinMs, () => {
      reject(new NoAnswer(`no answer within ${withinMs} ms`));
      request.destroy();
    });
    request.on('response', (response) => {
      takeWhole(response, { resolve, reject });
    });
    request.on('error', (error) => {
      // A name with several addresses has several errors, and no message.
      reject(error.message === '' ? new Error(codeOf(error), { cause: error }) : error);
    });
    request.on('close', end);
    request.end(body);
    return promise;
  }

  /** An answer as it comes, over a connection of its own, until `signal` is aborted. @throws Error that says why there is none */
  stream(
    url: string,
    { headers, signal }: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
  ): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const isSecure = new URL(url).protocol === 'https:';
    const request = isSecure
      ? requestHttps(url, { headers, signal, agent: false, ...this.#trust }, resolve)
      : requestHttp(url, { headers, signal, agent: false }, resolve);
    request.on('error', reject);
    request.end();
    return promise;
  }

  /** Connections that wait for a question are closed. */
  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #agent(isSecure: boolean): HttpAgent {
    const scheme = isSecure ? 'https' : 'http';
    let agent = this.#agents.get(scheme);
    if (agent === undefined) {
      const common = { keepAlive: true, maxSockets: CONNECTIONS_MAX, timeout: IDLE_MS };
      agent = isSecure ? new HttpsAgent({ ...common, ...this.#trust }) : new HttpAgent(common);
      this.#agents.set(scheme, agent);
    }
    return agent;
  }
}

function codeOf({ code = 'no answer' }: NodeJS.ErrnoException): string {
  return code;
}

interface Taking {
  readonly resolve: (answer: HttpAnswer) => void;
  readonly reject: (error: Error) => void;
}

/** The first of `resolve` and `reject` counts. */
function takeWhole(response: IncomingMessage, { resolve, reject }: Taking): void {
  const parts: Buffer[] = [];
  let bytes = 0;
  response.on('data', (part: Buffer) => {
    bytes += part.length;
    parts.push(part);
    if (bytes <= ANSWER_BYTES_MAX) return;
    reject(new Error(`the answer has more than ${ANSWER_BYTES_MAX} bytes`));
    response.destroy();
  });
  response.on('end', () => {
    const whole = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    resolve({ status: response.statusCode ?? 0, text: whole.toString('utf8') });
  });
  response.on('error', reject);
  response.on('close', () => {
    reject(new Error('the answer broke off'));
  });
}

/** JSON of an answer. @throws Error where it is none */
export function jsonOf({ status, text }: HttpAnswer): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`it answered ${status} with something other than JSON (${messageOf(error)})`, { cause: error });
  }
}
