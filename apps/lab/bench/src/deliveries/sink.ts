// The sink of a measurement of deliveries, as its parent sees it.
import type { DurationMs } from '@flatline/base';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { sibling } from '../apart.ts';
import { forked, type Forked } from '../forked.ts';

/** Between two looks: bounds the error of a span. */
const LOOK_MS: DurationMs = 10;
/** Without a request for this long whoever posts has failed: a process that begins with a million retries reads them first. */
const STALLED_MS: DurationMs = 300_000;

export class Sink {
  readonly url: string;
  readonly #process: Forked;

  private constructor(process: Forked, url: string) {
    this.#process = process;
    this.url = url;
  }

  static async open(): Promise<Sink> {
    const running = forked(sibling(import.meta.filename, 'sink-process'), [], process.execArgv, 'the sink');
    const [url] = (await Promise.race([once(running.child, 'message'), running.ended])) as [string];
    return new Sink(running, url);
  }

  /** Requests so far. */
  async taken(): Promise<number> {
    const answer = once(this.#process.child, 'message');
    this.#process.tell('taken');
    return ((await Promise.race([answer, this.#process.ended])) as [number])[0];
  }

  /** Waits for that many since it was opened, and returns how many there are. @throws Error if no more come; what `ended` rejects with */
  async until(wanted: number, ended: Promise<never>): Promise<number> {
    let [before, movedAtMs] = [-1, performance.now()];
    for (;;) {
      const taken = await this.taken();
      if (taken >= wanted) return taken;
      if (taken !== before) movedAtMs = performance.now();
      before = taken;
      if (performance.now() - movedAtMs > STALLED_MS)
        throw new Error(`the deliveries have stalled: ${taken} of ${wanted} have come`);
      await Promise.race([delay(LOOK_MS), ended]);
    }
  }

  close(): void {
    this.#process.child.disconnect();
  }
}
