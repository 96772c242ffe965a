// Where the records of a commit go, each place by a number, and how many have each.
//
// Owns: which place each number means, and how many are counted, from one cut to the next.
// Does not own: records.
import type { KindOutput } from '@flatline/kinds';
import type { PackedRecords } from '@flatline/ports';

/** The pipeline's output, in the task's own partition. */
const OWN = 0;

/** A member left out: the pipeline's output, the task's own partition. */
export type OutputPlace = Pick<KindOutput, 'topic' | 'partition'>;

export interface FilledPlace {
  readonly to: OutputPlace;
  readonly count: number;
}

export class OutputPlaces {
  #places: { readonly to: OutputPlace; count: number }[] = [{ to: {}, count: 0 }];
  readonly #byName = new Map<string, number>();
  /** The one last asked for: records of one topic come together. */
  #last = OWN;

  /** Counts one more record there. */
  count(place: number): void {
    this.#places[place]!.count += 1;
  }

  numberOf({ topic, partition }: OutputPlace): number {
    if (topic === undefined && partition === undefined) return OWN;
    const { to } = this.#places[this.#last]!;
    if (to.topic !== topic || to.partition !== partition) this.#last = this.#find(topic, partition);
    return this.#last;
  }

  #find(topic: string | undefined, partition: number | undefined): number {
    const name = `${topic ?? ''}/${partition ?? ''}`;
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const to = { ...(topic !== undefined && { topic }), ...(partition !== undefined && { partition }) };
    const place = this.#places.push({ to, count: 0 }) - 1;
    this.#byName.set(name, place);
    return place;
  }

  named(records: PackedRecords): Generator<KindOutput> {
    return named(records, this.#places);
  }

  /** Begins with none. */
  takeAll(): readonly FilledPlace[] {
    const all = this.#places;
    this.#places = [{ to: {}, count: 0 }];
    this.#byName.clear();
    this.#last = OWN;
    return all;
  }
}

/** The records as they were said: copies. */
export function* named(records: PackedRecords, places: readonly FilledPlace[]): Generator<KindOutput> {
  for (const { place, ...record } of records) yield { ...record, ...places[place]!.to };
}
