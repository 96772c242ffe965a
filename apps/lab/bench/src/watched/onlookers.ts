// All who look at a processor at once: Prometheus, an orchestrator, a browser with its dashboard.
//
// Owns: the requests that they make.
// Does not own: the processor.
import type { DurationMs } from '@flatline/base';
import { setTimeout as delay } from 'node:timers/promises';

/** Oftener than is usual: a scrape in 15 seconds would be seldom seen in a turn. */
const SCRAPE_EACH_MS: DurationMs = 1_000;
const ASK_EACH_MS: DurationMs = 500;

/** How often each of them looked. */
export interface Looks {
  readonly scrapes: number;
  readonly asked: number;
  /** Lines of the dashboard's stream. */
  readonly lines: number;
}

export class Onlookers {
  /** Rejects once one of them is not answered. */
  readonly failed: Promise<never>;
  readonly #ending = new AbortController();
  readonly #all: Promise<unknown>;
  readonly #looks = { scrapes: 0, asked: 0, lines: 0 };

  private constructor(address: string, page: Response) {
    this.#all = Promise.all([
      this.#each(SCRAPE_EACH_MS, `${address}/metrics`, 'scrapes'),
      this.#each(ASK_EACH_MS, `${address}/readyz`, 'asked'),
      this.#follow(page),
    ]);
    this.failed = this.#all.then(() => new Promise<never>(() => undefined));
    this.failed.catch(() => undefined);
  }

  /** Resolves once the dashboard's stream has begun. @throws Error if the processor does not answer */
  static async come(address: string): Promise<Onlookers> {
    return new Onlookers(address, answered(await fetch(`${address}/api/v1/watch`)));
  }

  /** @throws Error if one of them was not answered */
  async leave(): Promise<Looks> {
    this.#ending.abort();
    await this.#all;
    return this.#looks;
  }

  get #isOver(): boolean {
    return this.#ending.signal.aborted;
  }

  async #each(everyMs: DurationMs, url: string, counter: 'scrapes' | 'asked'): Promise<void> {
    while (!this.#isOver) {
      await answered(await fetch(url)).arrayBuffer();
      this.#looks[counter] += 1;
      await delay(everyMs, undefined, { signal: this.#ending.signal }).catch(() => undefined);
    }
  }

  async #follow({ body }: Response): Promise<void> {
    const reader = body!.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    this.#ending.signal.addEventListener('abort', () => void reader.cancel());
    for (;;) {
      const { done, value } = await reader.read();
      if (done && !this.#isOver) throw new Error('the stream of the dashboard has ended');
      if (done) return;
      this.#looks.lines += value.filter((byte) => byte === 0x0a).length;
    }
  }
}

function answered(answer: Response): Response {
  if (!answer.ok) throw new Error(`${answer.url} is answered with ${answer.status}`);
  return answer;
}
