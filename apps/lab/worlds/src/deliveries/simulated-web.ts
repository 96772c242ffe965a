// The web as one process sees it, in virtual time: names, sockets, requests.
//
// Owns: the sockets and exchanges of its process, which end with that.
// Does not own: what sites answer (Sites), what is remembered of it (DeliveryLedger).
import type { SimulatedHost } from '@flatline/cluster';
import type { HttpAgent, HttpSenderParts } from '@flatline/notifier/carrying';
import { EventEmitter } from 'node:events';
import type { DeliveryLedger, RecordedAttempt } from './ledger.ts';
import { isInside, retryAfterMs, type Sites } from './sites.ts';

type Agent = NonNullable<HttpSenderParts['agent']>;
type Connector = Parameters<Agent>[0];
type Request = Parameters<HttpAgent['dispatch']>[0];
type Handler = Parameters<HttpAgent['dispatch']>[1];
type Controller = Parameters<NonNullable<Handler['onRequestStart']>>[0];
type Dial = NonNullable<HttpSenderParts['dial']>;

const WAY_MS = 3;
const CHUNK_BYTES = 1_024;
/** Whoever reads 4 KiB of an answer reads no more than this. */
const READ_BYTES_MAX = 4_096 + CHUNK_BYTES;
const DRIP_MS = 300;

class SimulatedSocket extends EventEmitter {
  remoteAddress: string | undefined;
  #cancel: (() => void) | undefined;
  readonly #host: SimulatedHost;

  constructor(host: SimulatedHost) {
    super();
    this.#host = host;
  }

  setTimeout(ms: number, late?: () => void): this {
    this.#cancel?.();
    this.#cancel = ms > 0 && late !== undefined ? this.#host.after(ms, late) : undefined;
    return this;
  }

  destroy(): this {
    this.#cancel?.();
    return this;
  }
}

interface Exchange {
  readonly connect: Connector;
  readonly options: Request;
  readonly handler: Handler;
  readonly controller: Controller;
  /** Aborted by the controller. */
  readonly signal: AbortSignal;
}

export interface WebParts {
  readonly host: SimulatedHost;
  readonly sites: Sites;
  readonly ledger: DeliveryLedger;
  /** True time. */
  readonly now: () => number;
}

export class SimulatedWeb {
  readonly #parts: WebParts;
  /** Names of which the last answer had an address inside: none of theirs is to be used. */
  readonly #leadsInside = new Set<string>();

  constructor(parts: WebParts) {
    this.#parts = parts;
  }

  readonly resolve = async (hostname: string): Promise<readonly string[]> => {
    await this.#after(WAY_MS);
    const addresses = this.#parts.sites.addressesOf(hostname);
    if (addresses.some(isInside)) this.#leadsInside.add(hostname);
    else this.#leadsInside.delete(hostname);
    return addresses;
  };

  readonly dial: Dial = (address) => {
    const { host, sites, ledger } = this.#parts;
    const name = sites.all.find((each) => each.address === address)?.hostname ?? '';
    if (isInside(address) || this.#leadsInside.has(name))
      ledger.breaches.push(`[N5] ${address} was to be connected to`);
    const socket = new SimulatedSocket(host);
    host.after(WAY_MS, () => {
      const reached = sites.reachedAt(address);
      socket.remoteAddress = reached;
      if (reached === undefined) socket.emit('error', new Error(`connect ECONNREFUSED ${address}`));
      else socket.emit('connect');
    });
    return socket as unknown as ReturnType<Dial>;
  };

  /** An agent whose next request is that of the attempt which `begun` says. */
  agent(connect: Connector, begun: (id: string) => RecordedAttempt): HttpAgent {
    return {
      dispatch: (options: Request, handler: Handler) => {
        const over = new AbortController();
        const abort = (why: Error): void => {
          over.abort(why);
        };
        const controller = { abort } as unknown as Controller;
        this.#exchange({ connect, options, handler, controller, signal: over.signal }, begun).catch(
          (error: unknown) => {
            handler.onResponseError!(controller, error as Error);
          },
        );
        return true;
      },
      destroy: () => Promise.resolve(),
    };
  }

  async #exchange({ connect, ...exchange }: Exchange, begun: (id: string) => RecordedAttempt): Promise<void> {
    const { options, handler, controller, signal } = exchange;
    const { sites, ledger, now } = this.#parts;
    const headers = options.headers as Readonly<Record<string, string>>;
    const attempt = begun(headers['webhook-id']!);
    const { hostname, port, protocol } = new URL(String(options.origin));
    const address = await this.#connected(connect, { hostname, port, protocol });
    handler.onRequestStart!(controller, {});
    const site = sites.all.find((each) => each.hostname === hostname)!;
    if (address !== site.address) ledger.breaches.push(`[N5] ${address} has got a request`);
    await abortable(signal, this.#after(WAY_MS));
    attempt.heard = { headers, body: Uint8Array.from(options.body as Uint8Array) };
    const answer = sites.answerOf(site);
    if (answer === undefined) return abortable(signal, new Promise<void>(() => undefined));
    const { status, afterMs } = answer;
    await abortable(signal, this.#after(afterMs));
    attempt.heard.answer = { at: now(), status, retryAfterMs: retryAfterMs(answer.headers) };
    await abortable(signal, this.#after(WAY_MS));
    handler.onResponseStart!(controller, status, answer.headers);
    await this.#body(site.mood, exchange);
    handler.onResponseEnd!(controller, {});
  }

  #connected(connect: Connector, host: { hostname: string; port: string; protocol: string }): Promise<string> {
    return new Promise((resolve, reject) => {
      connect(host, (error, socket) => {
        if (error === null) resolve(socket.remoteAddress!);
        else reject(error);
      });
    });
  }

  /** Endless for some. */
  async #body(mood: string, { handler, controller, signal }: Omit<Exchange, 'connect'>): Promise<void> {
    const isEndless = mood === 'flooding' || mood === 'dripping';
    for (let read = CHUNK_BYTES; ; read += CHUNK_BYTES) {
      if (read > READ_BYTES_MAX) {
        this.#parts.ledger.breaches.push(`[N5] ${read} bytes of an answer were read`);
        return;
      }
      handler.onResponseData!(controller, Buffer.alloc(CHUNK_BYTES, 'x'));
      signal.throwIfAborted();
      if (!isEndless) return;
      if (mood === 'dripping') await abortable(signal, this.#after(DRIP_MS));
    }
  }

  #after(ms: number): Promise<void> {
    return new Promise((resolve) => this.#parts.host.after(ms, resolve));
  }
}

/** Rejects as soon as `signal` says so. */
function abortable<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort);
    });
  });
}
