// Judges by the first records of a topic if it is the one that was meant.
//
// Owns: how many records of other kinds have come before the first of the kind, and up to where.
// Does not own: what is committed (GroupOutputs).
//
// Invariants
//   FR1  Until a first record of the kind, no position behind a record of another kind is to be committed: a topic that is refused
//        leaves its group where it stood, so it is refused again, and the right one begins where it should.
//   FR2  A record counts once, however often its partition is read again.

/** Records of other kinds at the beginning that end the reading. */
export const STRANGERS_MAX = 10;

interface Strangers {
  readonly count: number;
  /** Records of the partition below it were passed over. */
  readonly passedTo: number;
}

export class FirstRecords {
  /** By partition; undefined once there was one of the kind. */
  #strangers: Map<number, Strangers> | undefined = new Map();

  /** Another record of another kind. True: one too many. */
  isOneTooMany(partition: number): boolean {
    if (this.#strangers === undefined) return false;
    const before = this.#strangers.get(partition) ?? { count: 0, passedTo: 0 };
    this.#strangers.set(partition, { ...before, count: before.count + 1 });
    let total = 0;
    for (const { count } of this.#strangers.values()) total += count;
    return total >= STRANGERS_MAX;
  }

  /** Keeps where a partition stands, unless it may be committed. */
  keepsBack(partition: number, offset: number): boolean {
    const strangers = this.#strangers?.get(partition);
    if (strangers === undefined) return false;
    this.#strangers!.set(partition, { ...strangers, passedTo: offset });
    return true;
  }

  /** It is the right topic: gives what was kept back. */
  know(): [partition: number, offset: number][] {
    const kept = [...(this.#strangers ?? [])].map(([partition, { passedTo }]): [number, number] => [
      partition,
      passedTo,
    ]);
    this.#strangers = undefined;
    return kept;
  }

  /** The partition is read again, or by another member. */
  forget(partition: number): void {
    this.#strangers?.delete(partition);
  }
}
