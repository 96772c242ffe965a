// Sums of what parts count, as parts come and go: a sum never falls, so that Prometheus takes no move of a partition for a reset.
//
// A part counts from 0 where it begins, and takes its count along when it goes. Each reading adds what every part has counted since
// the reading before; a part whose count has fallen, or that was not there, has begun again. What a part counts between its last
// reading and its end is lost, as it is where each part has a series of its own.
//
// Invariants
//   MS1  A sum never falls.
//   MS2  Nothing is kept of a part that was not there at the last reading.

/** One count, or several that belong together, as the buckets of a histogram do. */
export type Counts = readonly number[];

/** A part that may count, and its counts; undefined: there are none now. */
export type PartCounts = readonly [part: string | number, counts: Counts | undefined];

interface Group {
  sums: number[];
  seen: Map<string | number, Counts>;
}

export class LastingSums {
  readonly #groups = new Map<string, Group>();

  /** Takes a reading of all parts of a group; gives its sums, or undefined before any part has counted. */
  take(name: string, parts: readonly PartCounts[]): Counts | undefined {
    const group: Group = this.#groups.get(name) ?? { sums: [], seen: new Map() };
    const seen = new Map<string | number, Counts>();
    for (const [part, counts] of parts) {
      if (counts === undefined) continue;
      seen.set(part, counts);
      const before = group.seen.get(part) ?? [];
      const goesOn = counts.every((count, i) => count >= (before[i] ?? 0));
      for (const [i, count] of counts.entries())
        group.sums[i] = (group.sums[i] ?? 0) + count - (goesOn ? (before[i] ?? 0) : 0);
    }
    group.seen = seen;
    this.#groups.set(name, group);
    return group.sums.length === 0 ? undefined : group.sums;
  }
}
