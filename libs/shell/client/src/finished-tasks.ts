// Knows which attempts at tasks are finished, by the topic of results since shortly before this worker began.
//
// Owns: the ids of the last tasks that are done, poison, or come again by a schedule; where each partition of the topic was read to.
// Does not own: the reader's connections, what is written there.
//
// Invariants
//   STK1  `isFinished` says no only once everything was heard that lay on the topic when it was asked.
//   STK2  At most `IDS_MAX` ids are kept: an older one is begun again, as after a restart.
import { partitionOf, utf8Of } from '@flatline/base';
import type { LogReader, LogSubscription } from '@flatline/ports';
import { outcomeIn, finishedUpTo } from './task-outcome.ts';

export interface FinishedTasksParts {
  readonly reader: LogReader;
  readonly topic: string;
  /** Where each partition is read from. */
  readonly starts: ReadonlyMap<number, number>;
  /** Where a partition ends now. */
  readonly endOf: (partition: number) => Promise<number>;
}

/** Some 100 bytes each. */
const IDS_MAX = 100_000;

export class FinishedTasks {
  readonly #parts: FinishedTasksParts;
  /** Up to which attempt, by id. */
  readonly #finished = new Map<string, number>();
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
  async isFinished(id: string, attempt: number): Promise<boolean> {
    if (this.#isKnown(id, attempt)) return true;
    const partition = partitionOf(utf8Of(id), this.#heardTo.size);
    const end = await this.#parts.endOf(partition);
    while (this.#heardTo.get(partition)! < end) {
      if (this.#failure !== undefined) throw this.#failure.error;
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
    }
    return this.#isKnown(id, attempt);
  }

  #isKnown(id: string, attempt: number): boolean {
    return attempt <= (this.#finished.get(id) ?? 0);
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
    const { id } = outcome;
    const upTo = Math.max(finishedUpTo(outcome), this.#finished.get(id) ?? 0);
    if (upTo === 0) return;
    this.#finished.delete(id);
    this.#finished.set(id, upTo);
    if (this.#finished.size > IDS_MAX) this.#finished.delete(this.#finished.keys().next().value!);
  }

  #tell(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
