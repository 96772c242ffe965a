// Outputs of a cut: bytes, in the order in which they were decided.
//
// Owns: what the numbers of places mean.
// Does not own: the bytes (PackedRecords).
import type { KindOutput } from '@flatline/kinds';
import type { PackedRecords } from '@flatline/ports';
import { type FilledPlace, named } from './output-places.ts';

export class CutOutputs {
  readonly packed: PackedRecords;
  /** By number. */
  readonly places: readonly FilledPlace[];

  constructor(packed: PackedRecords, places: readonly FilledPlace[]) {
    this.packed = packed;
    this.places = places;
  }

  /** As objects, of copies: what goes out as bytes needs none. */
  [Symbol.iterator](): Generator<KindOutput> {
    return named(this.packed, this.places);
  }
}
