// Many subscriptions to one processor: each a connection that is read and not looked at, but for whether its snapshot has come.
import type { DurationMs } from '@flatline/base';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { PIPELINE } from '../tasks/application.ts';

export interface LetIn {
  /** From the first request until the last snapshot has come. */
  readonly elapsedMs: DurationMs;
  /** Requests that were told to come later. */
  readonly refused: number;
}

/** Requests that are under way before their answers: more of them wait in the processor's backlog. */
const CONNECTING_MAX = 500;

export class Subscriptions {
  readonly #address: string;
  readonly #query: (number: number) => string;
  readonly #open = new Set<ClientRequest>();
  /** Rejects with the first that ends. */
  readonly ended: Promise<never>;
  #fail: (error: Error) => void = () => undefined;
  #isClosed = false;
  #number = 0;

  constructor(address: string, query: (number: number) => string) {
    this.#address = address;
    this.#query = query;
    this.ended = new Promise((_resolve, reject) => {
      this.#fail = reject;
    });
    this.ended.catch(() => undefined);
  }

  /** Adds `count` subscribers, as fast as they are let in. */
  async add(count: number): Promise<LetIn> {
    const from = performance.now();
    let [left, refused] = [count, 0];
    const connect = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const number = (this.#number += 1);
        for (let waitS = await this.#subscribe(number); waitS > 0; waitS = await this.#subscribe(number)) {
          refused += 1;
          await delay(1_000 * waitS);
        }
      }
    };
    await Promise.race([Promise.all(Array.from({ length: CONNECTING_MAX }, connect)), this.ended]);
    return { elapsedMs: performance.now() - from, refused };
  }

  close(): void {
    this.#isClosed = true;
    for (const request of this.#open) request.destroy();
  }

  /** Resolves with 0 once its snapshot has come, else with the seconds after which it may try again. */
  #subscribe(number: number): Promise<number> {
    return new Promise((resolve) => {
      const url = `${this.#address}/api/v1/events/${PIPELINE}${this.#query(number)}`;
      const request = get(url, { agent: false }, (response) => {
        if (response.statusCode === 200) this.#hear(response, resolve);
        else {
          response.resume();
          this.#open.delete(request);
          resolve(Math.max(1, Number(response.headers['retry-after'] ?? 1)));
        }
      });
      request.on('error', (error) => {
        if (!this.#isClosed) this.#fail(error);
      });
      this.#open.add(request);
    });
  }

  #hear(response: IncomingMessage, resolve: (seconds: number) => void): void {
    let begin = '';
    const look = (bytes: Buffer): void => {
      begin += bytes.toString('latin1');
      if (!begin.includes('event: snapshot')) return;
      response.off('data', look);
      response.resume();
      resolve(0);
    };
    response.on('data', look);
    response.on('close', () => {
      if (!this.#isClosed) this.#fail(new Error(`a subscription has ended, after ${JSON.stringify(begin)}`));
    });
  }
}
