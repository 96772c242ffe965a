// The clock of one input partition: the greatest timestamp among the records read so far, in offset order (C1).
//
// Owns: the instant.      Does not own: any local clock, any fetch answer. Those are handed in by others or not at all.
//
// Invariants
//   PC1  The instant never goes back.
//   PC2  Nothing but a record's timestamp, or a restored block header, moves it.
import type { Millis } from '@flatline/base';

export class PartitionClock {
  #now: Millis;

  /** `now`: 0 for a partition of which nothing has been read. */
  constructor(now: Millis = 0) {
    this.#now = now;
  }

  get now(): Millis {
    return this.#now;
  }

  /** Takes a record's timestamp as evidence; a stamp in the past moves nothing back. */
  advance(evidence: Millis): void {
    if (evidence > this.#now) this.#now = evidence;
  }
}
