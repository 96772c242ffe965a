// Which attempts at tasks are settled, as the topic of results has told since shortly before this worker began.
//
// Owns: the ids of the last tasks that are done, poison, or come again by a schedule; where each partition of the topic was read to.
// Does not own: the reader's connections, what is written there.
//
// Invariants
//   STK1  `isSettled` says no only once everything was heard that lay on the topic when it was asked.
//   STK2  At most `IDS_MAX` ids are kept: an older one is begun again, as after a restart.
import { partitionOf, utf8Of } from '@flatline/base';
import type { LogReader, LogSubscription } from '@flatline/ports';
import { outcomeIn, settledUpTo } from './task-outcome.ts';

export interface SettledTasksParts {
  readonly reader: LogReader;
  readonly topic: string;
  /** Where each partition is read from. */
  readonly starts: ReadonlyMap<number, number>;
  /** Where a partition ends now. */
  readonly endOf: (partition: number) => Promise<number>;
}

/** Some 100 bytes each. */
const IDS_MAX = 100_000;

export class SettledTasks {
  readonly #parts: SettledTasksParts;
  /** Up to which attempt, by id. */
  readonly #settled = new Map<string, number>();
  /** By partition: everything below was heard. */
  readonly #heardTo: Map<number, number>;
  readonly #waiting = new Set<() => void>();
  #failure: { readonly error: unknown } | undefined;

  constructor(parts: SettledTasksParts) {
    this.#parts = parts;
    this.#heardTo = new Map(parts.starts);
    for (const [partition, offset] of parts.starts)
      this.#follow(parts.reader.subscribe({ topic: parts.topic, partition }, offset)).catch((error: unknown) => {
        this.#failure = { error };
        this.#tell();
      });
  }

  /** @throws where results can be read no more */
  async isSettled(id: string, attempt: number): Promise<boolean> {
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
    return attempt <= (this.#settled.get(id) ?? 0);
  }

  async #follow(subscription: LogSubscription): Promise<void> {
    const { partition } = subscription.partition;
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        subscription.onChange(resolve);
      });
      for (let run = subscription.take(); run !== undefined; run = subscription.take()) {
        const { cursor } = run;
        while (cursor.next())
          if (cursor.valueLength > 0)
            this.#hear(cursor.bytes.slice(cursor.valueStart, cursor.valueStart + cursor.valueLength));
        this.#heardTo.set(partition, run.nextOffset);
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
    const upTo = Math.max(settledUpTo(outcome), this.#settled.get(id) ?? 0);
    if (upTo === 0) return;
    this.#settled.delete(id);
    this.#settled.set(id, upTo);
    if (this.#settled.size > IDS_MAX) this.#settled.delete(this.#settled.keys().next().value!);
  }

  #tell(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
