// Finds keys that lie in another partition than murmur2 gives them (I9). Once other clients send such a key to its own partition, it
// lives twice, and each of its records looks sound by itself.
//
// Owns: the misplaced keys, up to a maximum.
// Does not own: whether the placement is intended (the caller decides).
import type { InputRecord } from '../logs/history.ts';
import { nameOf, textOf } from '../logs/byte-names.ts';
import { offsetOf } from '../logs/places.ts';
import { murmur2Partition } from '../logs/murmur2.ts';

export interface MisplacedKeys {
  /** At most MISPLACED_KNOWN_MAX, the number that are told apart. */
  readonly count: number;
  readonly example:
    | { readonly key: string; readonly partition: number; readonly belongsTo: number; readonly offset: number }
    | undefined;
}

export const MISPLACED_KNOWN_MAX = 100_000;

export class KeyPlaces {
  readonly #partitions: number | undefined;
  readonly #known = new Set<string>();
  #example: MisplacedKeys['example'];

  /** `partitions`: of the input; undefined: its producers choose partitions by another rule on purpose. */
  constructor(partitions: number | undefined) {
    this.#partitions = partitions;
  }

  note({ key, offset }: InputRecord, partition: number): void {
    if (this.#partitions === undefined || key === null || this.#known.size === MISPLACED_KNOWN_MAX) return;
    const belongsTo = murmur2Partition(key, this.#partitions);
    if (belongsTo === partition) return;
    this.#known.add(nameOf(key));
    this.#example ??= { key: textOf(key), partition, belongsTo, offset: offsetOf(offset) };
  }

  summary(): MisplacedKeys {
    return { count: this.#known.size, example: this.#example };
  }
}
