// One attempt over HTTP, by Standard Webhooks (N1, N2, N5).
//
// No proxy of the environment and no redirect: the agent is our own, and has neither. An answer's status counts; what follows is read up
// to a bound, and for so long (HttpExchange), so that a sink that floods or drips holds nothing.
import type { Clock, DurationMs, Millis } from '@flatline/base';
import type { WebhookSecret } from '@flatline/config';
import type { Delivery, Outcome } from '@flatline/deliveries';
import { Agent, type buildConnector, type Dispatcher } from 'undici';
import { allowedOf } from '../guard/allowed.ts';
import { type Dial, guardedConnector } from '../guard/connector.ts';
import type { Resolve } from '../guard/resolver.ts';
import { signatures } from '../signing/signature.ts';
import { answerText, boundedText } from './answer-text.ts';
import { type Answer, HttpExchange } from './http-exchange.ts';
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
export type HttpAgent = Pick<Agent, 'dispatch' | 'destroy'>;

const HEADER_BYTES_MAX = 16_384;
const GONE = 410;

export class HttpSender implements Sender {
  readonly #parts: HttpSenderParts;
  readonly #agent: HttpAgent;
  readonly #origin: string;
  readonly #path: string;
  /** By what calls them off. */
  readonly #underWay = new Map<AbortSignal, Set<HttpExchange>>();

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
    const { origin, pathname, search } = new URL(url);
    [this.#origin, this.#path] = [origin, pathname + search];
    this.#agent = agent(guardedConnector({ allowed: allowedOf(allow), resolve, timeoutMs, ca, dial }));
  }

  attempt(delivery: Delivery, end: AbortSignal): Promise<Outcome> {
    const { clock, timeoutMs } = this.#parts;
    const at = clock.wallMs();
    const beganMs = clock.monotonicMs();
    return new Promise((resolve) => {
      const failed = (error: unknown): Outcome => {
        const ms = clock.monotonicMs() - beganMs;
        return { kind: 'failed', attempt: { at, ms, error: boundedText(causeOf(error)) } };
      };
      const theirs = this.#theirs(end);
      const exchange: HttpExchange = new HttpExchange({
        clock,
        timeoutMs,
        over: (answer) => {
          theirs.delete(exchange);
          if (answer instanceof Error) resolve(failed(answer));
          else resolve(outcomeOf(answer, at, clock.monotonicMs() - beganMs));
        },
      });
      theirs.add(exchange);
      try {
        end.throwIfAborted();
        this.#agent.dispatch(this.#request(delivery, at), exchange);
      } catch (error) {
        exchange.end(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  /** Exchanges that `end` calls off: it is listened to once for all of them. */
  #theirs(end: AbortSignal): Set<HttpExchange> {
    const known = this.#underWay.get(end);
    if (known !== undefined) return known;
    const theirs = new Set<HttpExchange>();
    this.#underWay.set(end, theirs);
    const callOff = (): void => {
      this.#underWay.delete(end);
      for (const exchange of theirs) exchange.end(new Error('it was called off'));
    };
    if (end.aborted) this.#underWay.delete(end);
    else end.addEventListener('abort', callOff, { once: true });
    return theirs;
  }

  #request({ id, body }: Delivery, at: Millis): Dispatcher.DispatchOptions {
    const { secrets, userAgent } = this.#parts;
    const seconds = Math.floor(at / 1_000);
    return {
      origin: this.#origin,
      path: this.#path,
      method: 'POST',
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
}

function outcomeOf(answer: Answer, at: Millis, ms: DurationMs): Outcome {
  const { status, beginning } = answer;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  const attempt = { at, ms, status, answer: answerText(beginning) };
  return { kind: 'failed', attempt, retryAfterMs: askedToWait(answer, at), gone: status === GONE };
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

function askedToWait({ headers }: Answer, now: Millis): DurationMs | undefined {
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
