// Decisions since the last commit, as the next one writes them.
//
// The last decision on a delivery counts. Until that commit moves the position beyond an output, it comes again by itself: where it is
// delivered before, there is nothing to write of it.
//
// Owns: what is decided and not committed.
// Does not own: who decides (EndpointQueue), transactions (CourierRun).
//
// Invariants
//   PDW1  At most one record keeps a delivery, and none once it is done with.
//   PDW2  What may be kept by an earlier commit, and is done with, has a record that says so.
//   PDW3  Records that are written of a delivery are in the order in which they were decided on.
import type { DeliveryName, Write } from '@flatline/deliveries';

interface Pending {
  /** Its output was taken since the last commit: no earlier one keeps it. */
  readonly isNew: boolean;
  /** Where the record that keeps it lies among the writes; undefined: there is none yet. */
  kept: number | undefined;
}

export class PendingWrites {
  #writes: (Write | undefined)[] = [];
  /** By endpoint and id. */
  readonly #pending = new Map<string, Map<string, Pending>>();
  #count = 0;
  #held = 0;
  #isBreakerDecided = false;
  #isAnyDropped = false;

  /** Records that the next commit has. */
  get count(): number {
    return this.#count;
  }

  /** Writes that keep deliveries to be attempted, or under way: these are in no hurry, and a delivery that succeeds meanwhile spares one. */
  get held(): number {
    return this.#held;
  }

  get isBreakerDecided(): boolean {
    return this.#isBreakerDecided;
  }

  /** A delivery is done with, or another of its key has taken its place. */
  get isAnyDropped(): boolean {
    return this.#isAnyDropped;
  }

  /** An output is taken that has such a delivery, which no commit keeps. A second one with its name changes nothing. */
  come(name: DeliveryName): void {
    if (this.#pending.get(name.endpoint)?.has(name.id) !== true) this.#put(name, { isNew: true, kept: undefined });
  }

  add(write: Write): void {
    if (write.kind === 'breaker') {
      this.#isBreakerDecided = true;
      this.#push(write);
      return;
    }
    const name = write.kind === 'keep' || write.kind === 'giveUp' ? write.delivery : write.name;
    const pending = this.#pending.get(name.endpoint)?.get(name.id);
    // It wakes what was kept before it.
    if (write.kind !== 'wake') this.#unkeep(pending);
    this.#isAnyDropped ||= write.kind === 'drop';
    if (write.kind === 'drop' && pending?.isNew === true) return;
    const place = this.#push(write);
    if (write.kind !== 'keep') return;
    if (write.phase === 'held') this.#held += 1;
    if (pending === undefined) this.#put(name, { isNew: false, kept: place });
    else pending.kept = place;
  }

  /** All of it, for a commit: nothing is pending any more. */
  take(): readonly Write[] {
    const writes = this.#writes.filter((write) => write !== undefined);
    this.#writes = [];
    this.#pending.clear();
    [this.#count, this.#held] = [0, 0];
    [this.#isBreakerDecided, this.#isAnyDropped] = [false, false];
    return writes;
  }

  #put({ endpoint, id }: DeliveryName, pending: Pending): void {
    const theirs = this.#pending.get(endpoint);
    if (theirs === undefined) this.#pending.set(endpoint, new Map([[id, pending]]));
    else theirs.set(id, pending);
  }

  #push(write: Write): number {
    this.#count += 1;
    return this.#writes.push(write) - 1;
  }

  #unkeep(pending: Pending | undefined): void {
    if (pending?.kept === undefined) return;
    const write = this.#writes[pending.kept];
    this.#writes[pending.kept] = undefined;
    pending.kept = undefined;
    this.#count -= 1;
    if (write?.kind === 'keep' && write.phase === 'held') this.#held -= 1;
  }
}
