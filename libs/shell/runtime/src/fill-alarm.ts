import type { PartitionTask } from '@flatline/partition';
import type { TopicPartition } from '@flatline/ports';
import { STATE_FILL_ALARM } from './limits.ts';
import type { RuntimeLog } from './settings.ts';

/** Below this the alarm is reset: the next time the partition fills up is logged again. */
const CALM = STATE_FILL_ALARM - 0.1;

/** Logs once that a partition fills up, and once that it is full (I7). */
export class FillAlarm {
  readonly #log: RuntimeLog;
  readonly #input: TopicPartition;
  /** Records refused when filling up was logged. */
  #refusedBefore: number | undefined;
  #isSaidFull = false;

  constructor(log: RuntimeLog, input: TopicPartition) {
    this.#log = log;
    this.#input = input;
  }

  note({ stateFill, stateBytes, liveEntries, counters: { stateFull } }: PartitionTask): void {
    if (stateFill < CALM) {
      this.#refusedBefore = undefined;
      return;
    }
    const facts = { ...this.#input, liveEntries, stateBytes, stateFill, stateFull };
    if (stateFill >= STATE_FILL_ALARM && this.#refusedBefore === undefined) {
      this.#refusedBefore = stateFull;
      this.#isSaidFull = false;
      this.#log.warn('the partition fills up: soon nothing more can be opened in it, nor grow (I7)', facts);
    }
    if (this.#isSaidFull || this.#refusedBefore === undefined || stateFull === this.#refusedBefore) return;
    this.#isSaidFull = true;
    this.#log.error('the partition is full: records that need more room become dead letters (I7)', facts);
  }
}
