// Evictions under way (Q4): each ends what it concerns, entry by entry, while other records are taken.
//
//   its record is taken ──▶ under way: a hand goes once around all slots ──▶ over
//
// The entries it concerns are due from its record on, whether the hand has come there or not: so the key's next record, or what
// else is due for it, finds the entry as it was, and ends it first (S3). One that the hand has left behind is not concerned. A
// commit carries those under way; where the hand was need not be known again, since an entry that was looked at is not concerned,
// or ended.
//
// Owns: which are under way, the hand.
// Does not own: what an eviction concerns (the kind), when entries end (LiveEntries), how fast the hand goes (Expiry).
//
// Invariants
//   EV1  They stand in the order of their records: of places, and of clocks.
//   EV2  One that is over has met each slot since its record.
//
// Checked
//   assertion  EV1
//   not        EV2: of evictions that are over, of which nothing is kept; the oracle folds them.
import { assert, ByteReader, type Millis } from '@flatline/base';
import { type Evicting, type Eviction, readEvictions, writeEvictions } from '@flatline/kinds';

/**
 * Bytes of those under way in the header of a commit, which `largestBlockBytes` has room for: the record of one more waits until
 * one is over. One by itself has fewer.
 */
const UNDER_WAY_BYTES_MAX = 2_048;
/** Bytes of one beside its texts. */
const NUMBERS_BYTES_MAX = 24;

interface UnderWay {
  readonly eviction: Eviction;
  readonly bytes: number;
  /** The slot at which the hand was when it began, and whether it has begun again from the first slot since. */
  readonly from: number;
  hasTurned: boolean;
}

export class Evictions {
  #underWay: UnderWay[] = [];
  #bytes = 0;
  #hand = 0;

  /** Takes over the evictions that a commit says to be under way. @throws MalformedBytes */
  restore(bytes: Uint8Array): void {
    for (const eviction of readEvictions(new ByteReader(bytes))) this.add(eviction);
  }

  get isEmpty(): boolean {
    return this.#underWay.length === 0;
  }

  hasRoomFor(eviction: Eviction): boolean {
    return this.#bytes + bytesOf(eviction) <= UNDER_WAY_BYTES_MAX;
  }

  /** The clock of the first; Infinity: none is under way. */
  get firstAt(): Millis {
    return this.#underWay[0]?.eviction.at ?? Infinity;
  }

  add(eviction: Eviction): void {
    const last = this.#underWay.at(-1)?.eviction;
    assert(
      last === undefined || (last.place < eviction.place && last.at <= eviction.at),
      'EV1: an eviction comes behind those before it',
      { place: eviction.place, at: eviction.at },
    );
    const bytes = bytesOf(eviction);
    this.#bytes += bytes;
    this.#underWay.push({ eviction, bytes, from: this.#hand, hasTurned: false });
  }

  /** The first that concerns the entry in the window of `kind`. */
  concerning(kind: Evicting): Eviction | undefined {
    for (const { eviction } of this.#underWay) if (kind.concerns(eviction)) return eviction;
    return undefined;
  }

  /** The slot that is looked at next. */
  get hand(): number {
    return this.#hand;
  }

  /** The slot under the hand was looked at, of `slots` that there are. */
  passed(slots: number): void {
    this.#hand += 1;
    if (this.#hand >= slots) {
      this.#hand = 0;
      for (const each of this.#underWay) each.hasTurned = true;
    }
    // The hand comes to the oldest one's slot first.
    for (
      let [first] = this.#underWay;
      first?.hasTurned === true && this.#hand >= first.from;
      [first] = this.#underWay
    ) {
      this.#bytes -= first.bytes;
      this.#underWay.shift();
    }
  }

  /** For the next commit; undefined: none is under way. */
  bytes(): Uint8Array | undefined {
    return this.isEmpty ? undefined : writeEvictions(this.#underWay.map(({ eviction }) => eviction));
  }
}

function bytesOf({ name, value }: Eviction): number {
  return name.length + value.length + NUMBERS_BYTES_MAX;
}
