// Who is said to have ended with a lost gateway.
import type { DurationMs } from '@flatline/base';
import type { KafkaOptions } from '@flatline/kafka';
import { setTimeout as delay } from 'node:timers/promises';
import { OutputReader, valueText } from '../output-reader.ts';

/** No further one comes after so long. */
const QUIET_MS: DurationMs = 3_000;
const PATIENCE_MS: DurationMs = 120_000;
const LOOK_MS: DurationMs = 20;

export class EndedWatch {
  readonly #reader: OutputReader;
  #lastSeenAtMs = performance.now();
  /** Number so far. */
  ended = 0;

  constructor(kafka: KafkaOptions, topic: string, partitions: number) {
    this.#reader = new OutputReader(kafka, { topic, partitions }, (record) => {
      if (record.valueLength <= 0) return;
      const { reason } = JSON.parse(valueText(record)) as { readonly reason: string };
      if (reason !== 'EVICTED') return;
      this.ended += 1;
      this.#lastSeenAtMs = performance.now();
    });
  }

  /** When the last one was seen, of at least so many. @throws Error if fewer have ended after all the time there is */
  async quiet(atLeast: number): Promise<DurationMs> {
    const from = performance.now();
    while (this.ended < atLeast || performance.now() - this.#lastSeenAtMs < QUIET_MS) {
      if (this.#reader.failure !== undefined) throw this.#reader.failure;
      if (performance.now() - from > PATIENCE_MS)
        throw new Error(`${this.ended} of at least ${atLeast} sessions were seen to end after ${PATIENCE_MS} ms`);
      await delay(LOOK_MS);
    }
    return this.#lastSeenAtMs;
  }

  /** @throws the error that ended the reading */
  async close(): Promise<void> {
    await this.#reader.close();
    if (this.#reader.failure !== undefined) throw this.#reader.failure;
  }
}
