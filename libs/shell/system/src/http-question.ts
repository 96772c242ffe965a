// One question over HTTP or HTTPS, with the authorities and the certificate of whoever asks, which Node's fetch takes none of.
import { type DurationMs, messageOf } from '@flatline/base';
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { ConnectionOptions } from 'node:tls';

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

/** A hundred entries have some kilobytes each. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const CONNECTIONS_MAX = 64;
/** Shorter than a server keeps it: otherwise a question may meet the end of its connection. */
const IDLE_MS: DurationMs = 4_000;

/** Keeps connections for the next questions. Redirects are answers: what goes along is for the address that was given, and no other. */
export class HttpAsker {
  readonly #trust: HttpTrust;
  readonly #agents = new Map<string, HttpAgent>();

  constructor(trust: HttpTrust = {}) {
    this.#trust = trust;
  }

  /** @throws Error that says why there is no answer */
  ask(url: string, { method = 'GET', headers = {}, body, withinMs }: HttpQuestion): Promise<HttpAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
    const isSecure = new URL(url).protocol === 'https:';
    const sent = body === undefined ? headers : { ...headers, 'content-length': `${Buffer.byteLength(body)}` };
    const options = {
      method,
      headers: sent,
      agent: this.#agent(isSecure),
      signal: AbortSignal.timeout(Math.ceil(withinMs)),
    };
    const request = (isSecure ? requestHttps : requestHttp)(url, options, (response) => {
      whole(response).then(resolve, reject);
    });
    request.on('error', (error) => {
      if (options.signal.aborted) reject(new Error(`no answer within ${withinMs} ms`, { cause: error }));
      // A name with several addresses has several errors, and no message.
      else reject(error.message === '' ? new Error(codeOf(error), { cause: error }) : error);
    });
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

async function whole(response: IncomingMessage): Promise<HttpAnswer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > ANSWER_BYTES_MAX) {
      response.destroy();
      throw new Error(`the answer has more than ${ANSWER_BYTES_MAX} bytes`);
    }
    parts.push(part);
  }
  return { status: response.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') };
}

/** JSON of an answer. @throws Error where it is none */
export function jsonOf({ status, text }: HttpAnswer): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`it answered ${status} with something other than JSON (${messageOf(error)})`, { cause: error });
  }
}
