// Dead letters, as an operator hears of them: a line for each commit and reason, and the newest (I1).
//
// Owns: the newest.
// Does not own: the letters (TaskCut), their count (TaskCounters), how often a line is written (the log).
import type { Millis } from '@flatline/base';
import type { DeadLetter } from '@flatline/partition';
import type { TopicPartition } from '@flatline/ports';
import type { RuntimeLog } from '../settings.ts';
import { traceOf } from './trace-of.ts';

/** A record that was refused. */
export interface RefusedRecord {
  readonly offset: number;
  readonly reason: string;
  readonly detail: string;
  /** When its letter was committed, by this machine's wall clock. */
  readonly at: Millis;
}

export class RefusalLog {
  readonly #log: RuntimeLog;
  readonly #input: TopicPartition;
  #newest: RefusedRecord | undefined;

  constructor(log: RuntimeLog, input: TopicPartition) {
    this.#log = log;
    this.#input = input;
  }

  /** undefined: there was none since the task has run. */
  get newest(): RefusedRecord | undefined {
    return this.#newest;
  }

  committed(letters: readonly DeadLetter[], at: Millis): void {
    const last = letters.at(-1);
    if (last === undefined) return;
    this.#newest = { offset: last.offset, reason: last.reason, detail: last.detail, at };
    for (const [reason, of] of Map.groupBy(letters, (letter) => letter.reason)) {
      const { offset, detail, headers } = of[0]!;
      const traceId = traceOf(headers);
      this.#log.warn(`records are refused (${reason}) and become dead letters`, {
        ...this.#input,
        offset,
        detail,
        records: of.length,
        ...(traceId !== undefined && { traceId }),
      });
    }
  }
}
