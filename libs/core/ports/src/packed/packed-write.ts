// Records of one place, for a transaction.
import type { OutgoingRecords, UntimedRecord } from '../transaction.ts';
import type { PackedCursor, PackedRecords } from './packed-records.ts';

export interface PackedPlace {
  readonly topic: string;
  readonly partition: number;
  /** Number of the place, and how many records it has. */
  readonly place: number;
  readonly count: number;
}

export class PackedWrite implements OutgoingRecords {
  readonly topic: string;
  readonly partition: number;
  readonly count: number;
  readonly #place: number;
  readonly #all: PackedRecords;

  constructor(all: PackedRecords, { topic, partition, place, count }: PackedPlace) {
    this.topic = topic;
    this.partition = partition;
    this.count = count;
    this.#place = place;
    this.#all = all;
  }

  /** For a writer that needs objects: read each time they are asked for, so that what is sent again is what lies there by then (CM2). */
  get records(): readonly UntimedRecord[] {
    return this.#all.of(this.#place);
  }

  cursor(): PackedCursor {
    return this.#all.cursor(this.#place);
  }
}

/** How many records it has: no object is made of any for it. */
export function recordCount(write: OutgoingRecords): number {
  return write instanceof PackedWrite ? write.count : write.records.length;
}
