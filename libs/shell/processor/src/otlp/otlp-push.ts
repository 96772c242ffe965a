// Sends the metrics of this process to a collector, time after time, until it is closed.
//
// Invariants
//   OP1  At most one sending is under way, and nothing waits behind it: the next one says all that it would have said.
//   OP2  What fails is told in the log, and holds up nothing else.
import { type Clock, type DurationMs, messageOf } from '@flatline/base';
import type { OtlpConfig } from '@flatline/config';
import type { RuntimeLog } from '@flatline/runtime';
import { HttpAsker, pause } from '@flatline/system';
import { type MetricSamples, otlpRequest, type OtlpSource } from './otlp-metrics.ts';

/** Longest wait for an answer; shorter where they are sent more often. */
const ANSWER_MS_MAX: DurationMs = 10_000;
/** Longest wait for the last one: a process that stops does not wait for a collector. */
const LAST_MS: DurationMs = 1_000;
/** So much of an answer that says no is in the log. */
const SHOWN_MAX = 200;

export interface OtlpPushParts {
  readonly config: OtlpConfig;
  readonly clock: Clock;
  readonly log: RuntimeLog;
  readonly source: Omit<OtlpSource, 'now'>;
  readonly samples: () => Promise<readonly MetricSamples[]>;
}

export class OtlpPush {
  readonly #parts: OtlpPushParts;
  readonly #asker: HttpAsker;
  readonly #end = new AbortController();
  readonly #running: Promise<void>;

  constructor(parts: OtlpPushParts) {
    this.#parts = parts;
    this.#asker = new HttpAsker(parts.config.ca === undefined ? {} : { ca: parts.config.ca }, parts.clock);
    this.#running = this.#run();
  }

  /** Sends once more, for what was counted since. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#running;
    await this.#send(LAST_MS);
    this.#asker.close();
  }

  async #run(): Promise<void> {
    const { config, clock } = this.#parts;
    for (;;) {
      await pause(clock, config.intervalMs, this.#end.signal);
      if (this.#end.signal.aborted) return;
      await this.#send();
    }
  }

  async #send(longestMs = ANSWER_MS_MAX): Promise<void> {
    const { config, clock, log, source, samples } = this.#parts;
    try {
      const authorization = config.authorization();
      const body = JSON.stringify(otlpRequest(await samples(), { ...source, now: clock.wallMs() }));
      const headers = { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) };
      const withinMs = Math.min(longestMs, config.intervalMs);
      const { status, text } = await this.#asker.ask(config.url, { method: 'POST', headers, body, withinMs });
      if (status >= 300) throw new Error(`it answers ${status}: ${text.slice(0, SHOWN_MAX)}`);
    } catch (error) {
      log.warn('metrics not sent (otlp.url); the next sending says all of them', {
        url: placeIn(config.url),
        why: messageOf(error),
      });
    }
  }
}

/** Without its query, in which some collectors take a key. */
function placeIn(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
