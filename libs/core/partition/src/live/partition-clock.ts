// The clock of one input partition: the greatest timestamp among the records read so far, in offset order (C1); where the
// input may not be written, also what an answered request for its end is evidence of (C3).
//
// Owns: the instant.
// Does not own: any local clock, any fetch answer. Those are handed in by others or not at all.
//
// Invariants
//   PC1  The instant never goes back.
//   PC2  Nothing but a record's timestamp, a restored block header, or evidence of C3 moves it.
//
// Checked
//   not  PC1: a comparison in the one place that writes it. PC2: of callers; the oracle has a clock of its own (C1).
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

  /** Takes a record's timestamp, or what stands for one (C3), as evidence; a stamp in the past moves nothing back. */
  advance(evidence: Millis): void {
    if (evidence > this.#now) this.#now = evidence;
  }
}
