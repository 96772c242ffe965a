// Knows which attempts at tasks are finished, by the topic of results since shortly before this worker began.
//
// Owns: what the last tasks have come to, by their last records that are not late; where each partition of the topic was read to.
// Does not own: the reader's connections, what is written there.
//
// Invariants
//   STK1  `known` answers only once everything was heard that lay on the topic when it was asked.
//   STK2  At most `IDS_MAX` ids are kept: an older one is begun again, as after a restart.
import { type Millis, partitionOf, utf8Of } from '@flatline/base';
import type { LogReader, LogSubscription } from '@flatline/ports';
import { finishedUpTo, outcomeIn, type Standing, standingAfter, type TaskOutcome } from './task-outcome.ts';

export interface FinishedTasksParts {
  readonly reader: LogReader;
  readonly topic: string;
  /** Where each partition is read from. */
  readonly starts: ReadonlyMap<number, number>;
  /** Where a partition ends now. */
  readonly endOf: (partition: number) => Promise<number>;
}

/** Knowledge of a task of which an attempt is to be begun; undefined: nothing that keeps it from that. */
export type Known =
  | 'finished'
  /** A worker had failed at it, and waited to make this attempt. */
  | { readonly attempt: number; readonly retryAt: Millis }
  | undefined;

type Kept = Pick<TaskOutcome, 'state' | 'attempt' | 'retryBy' | 'retryAt' | 'token'>;

/** Some 100 bytes each. */
const IDS_MAX = 100_000;

export class FinishedTasks {
  readonly #parts: FinishedTasksParts;
  /** By id. */
  readonly #last = new Map<string, Standing<Kept>>();
  /** By partition: everything below was heard. */
  readonly #heardTo: Map<number, number>;
  readonly #waiting = new Set<() => void>();
  #failure: { readonly error: unknown } | undefined;

  constructor(parts: FinishedTasksParts) {
    this.#parts = parts;
    this.#heardTo = new Map(parts.starts);
    for (const [partition, offset] of parts.starts)
      this.#follow(parts.reader.subscribe({ topic: parts.topic, partition }, offset)).catch((error: unknown) => {
        this.#failure = { error };
        this.#tell();
      });
  }

  /** @throws where results can be read no more */
  async known(id: string, attempt: number): Promise<Known> {
    const partition = partitionOf(utf8Of(id), this.#heardTo.size);
    const end = await this.#parts.endOf(partition);
    while (this.#heardTo.get(partition)! < end) {
      if (this.#failure !== undefined) throw this.#failure.error;
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
    }
    const last = this.#last.get(id)?.outcome;
    if (last === undefined) return undefined;
    if (attempt <= finishedUpTo(last)) return 'finished';
    const isNext = last.retryBy === 'worker' && last.attempt >= attempt;
    return isNext ? { attempt: last.attempt + 1, retryAt: last.retryAt ?? 0 } : undefined;
  }

  async #follow(subscription: LogSubscription): Promise<void> {
    const { partition } = subscription.partition;
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        subscription.onChange(resolve);
      });
      for (let fetched = subscription.take(); fetched !== undefined; fetched = subscription.take()) {
        const { cursor } = fetched;
        while (cursor.next())
          if (cursor.valueLength > 0)
            this.#hear(cursor.bytes.slice(cursor.valueStart, cursor.valueStart + cursor.valueLength));
        this.#heardTo.set(partition, fetched.nextOffset);
        this.#tell();
      }
      if (subscription.failure !== undefined) throw subscription.failure;
      await changed;
    }
  }

  #hear(value: Uint8Array): void {
    const outcome = outcomeIn(value);
    if (outcome === undefined) return;
    const { id, state, attempt, retryBy, retryAt, token } = outcome;
    // Whoever had it later says what is still to be done of it, also where another's end came before.
    const former = this.#last.get(id);
    const standing = standingAfter(former, { state, attempt, retryBy, retryAt, token });
    if (standing === former) return;
    this.#last.delete(id);
    this.#last.set(id, standing);
    if (this.#last.size > IDS_MAX) this.#last.delete(this.#last.keys().next().value!);
  }

  #tell(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
