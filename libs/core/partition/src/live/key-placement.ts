// Checks that keys lie where Kafka's default partitioner puts them: one that another client sends elsewhere has an entry in each
// of two partitions, and ends twice (I9).
//
// Owns: the newest misplaced key.
// Does not own: the count (TaskCounters).
import { partitionOfRange } from '@flatline/base';
import { inputAt, offsetAt } from '@flatline/kinds';
import type { KeySpans } from '@flatline/ports';
import type { TaskCounters } from './counters.ts';

/** A record that opened an entry in a partition that is not its key's. */
export interface MisplacedKey {
  /** The input it is of, counted from 0. */
  readonly input: number;
  readonly offset: number;
  /** Its key's partition. */
  readonly belongsTo: number;
}

export interface KeyPlacementParts {
  readonly partition: number;
  /** InputRules.keyPartitions */
  readonly keyPartitions: number | undefined;
  readonly counters: Pick<TaskCounters, 'misplacedKeys'>;
}

export class KeyPlacement {
  readonly #parts: KeyPlacementParts;
  #newest: MisplacedKey | undefined;

  constructor(parts: KeyPlacementParts) {
    this.#parts = parts;
  }

  /** undefined: there was none. */
  get newest(): MisplacedKey | undefined {
    return this.#newest;
  }

  /** Looks at the key at `index` of the group: once for each entry that is opened, not for each of its records. */
  note(bytes: Uint8Array, { starts, lengths }: KeySpans, index: number, place: number): void {
    const { partition, keyPartitions, counters } = this.#parts;
    if (keyPartitions === undefined) return;
    const belongsTo = partitionOfRange(bytes, { start: starts[index]!, length: lengths[index]! }, keyPartitions);
    if (belongsTo === partition) return;
    counters.misplacedKeys += 1;
    this.#newest = { input: inputAt(place), offset: offsetAt(place), belongsTo };
  }
}
