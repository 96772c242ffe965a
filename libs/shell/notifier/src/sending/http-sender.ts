// One attempt over HTTP, by Standard Webhooks (N1, N2, N5).
//
// No proxy of the environment and no redirect: the agent is our own, and has neither. Of an answer the status counts; what follows
// is read up to ANSWER_BYTES_MAX, for so long as BODY_MS allows, so that a sink that floods or drips holds nothing.
import type { Clock, DurationMs, Millis } from '@flatline/base';
import type { WebhookSecret } from '@flatline/config';
import type { Delivery, Outcome } from '@flatline/deliveries';
import { Agent, type buildConnector, type Dispatcher } from 'undici';
import { allowedOf } from '../guard/allowed.ts';
import { type Dial, guardedConnector } from '../guard/connector.ts';
import type { Resolve } from '../guard/resolver.ts';
import { signatures } from '../signing/signature.ts';
import { ANSWER_BYTES_MAX, answerText, boundedText } from './answer-text.ts';
import { retryAfterMs } from './retry-after.ts';
import type { Sender } from './sender.ts';

export interface HttpSenderParts {
  readonly clock: Clock;
  readonly url: string;
  readonly allow: readonly string[];
  readonly timeoutMs: DurationMs;
  readonly maxInFlight: number;
  /** As the files and the environment say now. @throws where one cannot be read */
  readonly secrets: () => readonly WebhookSecret[];
  readonly resolve: Resolve;
  readonly userAgent: string;
  readonly ca?: string | undefined;
  /** Default: TCP. */
  readonly dial?: Dial | undefined;
  /** Default: undici's. */
  readonly agent?: ((connect: buildConnector.connector) => HttpAgent) | undefined;
}

/** Sends requests over the sockets of its connector: follows no redirect, and knows no proxy. */
export type HttpAgent = Pick<Agent, 'request' | 'destroy'>;

const BODY_MS: DurationMs = 1_000;
const HEADER_BYTES_MAX = 16_384;
const GONE = 410;

export class HttpSender implements Sender {
  readonly #parts: HttpSenderParts;
  readonly #agent: HttpAgent;
  readonly #url: URL;

  constructor(parts: HttpSenderParts) {
    const {
      url,
      allow,
      timeoutMs,
      resolve,
      ca,
      dial,
      agent = (connect: buildConnector.connector) => agentOver(connect, parts),
    } = parts;
    this.#parts = parts;
    this.#url = new URL(url);
    this.#agent = agent(guardedConnector({ allowed: allowedOf(allow), resolve, timeoutMs, ca, dial }));
  }

  async attempt(delivery: Delivery, end: AbortSignal): Promise<Outcome> {
    const { clock, timeoutMs } = this.#parts;
    const at = clock.wallMs();
    const beganMs = clock.monotonicMs();
    const over = new AbortController();
    const cancel = clock.after(timeoutMs, () => {
      over.abort(new Error(`no answer within ${timeoutMs} ms`));
    });
    const signal = AbortSignal.any([end, over.signal]);
    const since = (): DurationMs => clock.monotonicMs() - beganMs;
    try {
      const answer = await this.#agent.request(this.#request(delivery, at, signal));
      const { statusCode: status } = answer;
      const bytes = await this.#beginningOf(answer.body);
      if (status >= 200 && status < 300) return { kind: 'delivered' };
      const attempt = { at, ms: since(), status, answer: answerText(bytes) };
      return { kind: 'failed', attempt, retryAfterMs: askedToWait(answer, at), gone: status === GONE };
    } catch (error) {
      return { kind: 'failed', attempt: { at, ms: since(), error: boundedText(causeOf(error)) } };
    } finally {
      cancel();
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #request({ id, body }: Delivery, at: Millis, signal: AbortSignal): Dispatcher.RequestOptions {
    const { secrets, userAgent } = this.#parts;
    const seconds = Math.floor(at / 1_000);
    return {
      origin: this.#url.origin,
      path: this.#url.pathname + this.#url.search,
      method: 'POST',
      signal,
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': userAgent,
        'webhook-id': id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': signatures(secrets(), id, seconds, body),
      },
    };
  }

  /** The part of an answer that came soon enough. Whatever follows ends its connection. */
  async #beginningOf(body: Dispatcher.ResponseData['body']): Promise<Uint8Array> {
    const chunks: Buffer[] = [];
    let length = 0;
    const cancel = this.#parts.clock.after(BODY_MS, () => {
      body.destroy();
    });
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        chunks.push(chunk);
        length += chunk.length;
        if (length >= ANSWER_BYTES_MAX) break;
      }
    } catch {
      // The status has come: that is the answer.
    } finally {
      cancel();
    }
    return Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX);
  }
}

function agentOver(connect: buildConnector.connector, { timeoutMs, maxInFlight }: HttpSenderParts): Agent {
  return new Agent({
    connect,
    connections: maxInFlight,
    pipelining: 1,
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
}

function askedToWait({ headers }: Dispatcher.ResponseData, now: Millis): DurationMs | undefined {
  const header = headers['retry-after'];
  return retryAfterMs(Array.isArray(header) ? header[0] : header, now);
}

/** The first cause that says anything: undici wraps what happened. */
function causeOf(error: unknown): string {
  const { message, cause, code } = error as {
    readonly message?: string;
    readonly cause?: unknown;
    readonly code?: string;
  };
  if (message === undefined || message === '') return code ?? (cause === undefined ? String(error) : causeOf(cause));
  return message;
}
