// The task of one measured reader, and its cost.
import type { Millis } from '@flatline/base';
import { systemClock } from '@flatline/system';

export type Reader = 'flatline' | 'kafkajs';

/** Everything in one topic, from the start. */
export interface ReadingTask {
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly partitions: number;
  /** In all partitions together. */
  readonly records: number;
  /** Number of the first records, which are not counted; undefined: none. */
  readonly warmUpRecords?: number;
}

/** Cost between the first records to come and the last. */
export interface ReadingCost {
  readonly records: number;
  readonly elapsedMs: number;
  /** Instant at which the last record was there, by the wall clock. */
  readonly endedAt: Millis;
  /** CPU time of the reading process, all threads, without the broker. */
  readonly cpuMs: number;
  /** Sum over all records read, counted or not. Keeps the reading from being optimised away; all readers must agree on it. */
  readonly keyBytes: number;
}

/** Counts records from the first that counts to the last, and the time between. */
export class ReadingMeter {
  readonly #records: number;
  readonly #warmUpRecords: number;
  readonly #done: (cost: ReadingCost) => void;
  #seen = 0;
  /** Records before the counted ones. */
  #before = 0;
  #keyBytes = 0;
  #startedAtMs = 0;
  #cpuBefore: NodeJS.CpuUsage = { user: 0, system: 0 };

  constructor({ records, warmUpRecords = 0 }: ReadingTask, done: (cost: ReadingCost) => void) {
    this.#records = records;
    this.#warmUpRecords = warmUpRecords;
    this.#done = done;
  }

  /** To be called before the first record is read. */
  start(): void {
    if (this.#startedAtMs === 0) this.#begin();
  }

  add(records: number, keyBytes: number): void {
    this.#seen += records;
    this.#keyBytes += keyBytes;
    if (this.#before === 0 && this.#seen >= this.#warmUpRecords && this.#warmUpRecords > 0) this.#begin();
    if (this.#seen < this.#records) return;
    const elapsedMs = performance.now() - this.#startedAtMs;
    const { user, system } = process.cpuUsage(this.#cpuBefore);
    const counted = this.#seen - this.#before;
    const endedAt = systemClock.wallMs();
    this.#done({ records: counted, elapsedMs, endedAt, cpuMs: (user + system) / 1_000, keyBytes: this.#keyBytes });
  }

  #begin(): void {
    this.#before = this.#seen;
    this.#startedAtMs = performance.now();
    this.#cpuBefore = process.cpuUsage();
  }
}
