// An erasure's way through the changelog (E1): what lies below a commit is to go, so every base that lies there is written again.
//
//   idle ── asked, the next cut ──▶ in flight ── settled at `offset` ──▶ rewriting ── a commit states a floor ≥ offset ──▶ idle
//
// The commit that is cut behind the asking removes what is erased, and says nothing else of it: below its first block, and only
// there, the log may still hold it. What is asked for on the way waits until that is over, so that however many ask, all is written
// again once, and once more for those that came meanwhile. Nothing of this is kept over a restart: whoever waits for it asks again.
//
// Owns: which commit that is, and whether its floor is stated.
// Does not own: writing bases (SweepPlan), the floor (Changelog), truncating (the runtime).
//
// Invariants
//   CG1  It is idle again only once a floor was stated that has passed the commit cut behind each asking.
//
// Checked
//   not  CG1: of floors that were stated, which are not kept; purge.test.ts reads them.

/** Bytes of bases that a cut writes at most, whatever has changed. */
const SHARE_BYTES_MAX = 256 * 1024;

export class Purge {
  #isAsked = false;
  #isInFlight = false;
  /** Changelog offset below which nothing may stay; −1: none. */
  #below = -1;
  #commitBytesMax = Infinity;

  /** No commit shall be larger, so no share is, by half. */
  limit(commitBytesMax: number): void {
    this.#commitBytesMax = commitBytesMax;
  }

  ask(): void {
    this.#isAsked = true;
  }

  /** True from the asking on until the floor is stated: commits are made even if nothing else has changed. */
  get isUnderWay(): boolean {
    return this.#isAsked || this.#isInFlight || this.#below >= 0;
  }

  /** How many bytes a cut may write of old bases, whatever has changed; 0: no more than any cut. */
  get shareBytes(): number {
    return this.#below < 0 ? 0 : Math.min(SHARE_BYTES_MAX, this.#commitBytesMax / 2);
  }

  /** A cut is made. True if all else is to be written again behind it. */
  begins(): boolean {
    if (!this.#isAsked || this.#below >= 0) return false;
    this.#isAsked = false;
    this.#isInFlight = true;
    return true;
  }

  /** A commit with this floor is in the log, its first block at `offset`. True if it is the one behind which all is written again. */
  settled(floor: number, offset: number): boolean {
    if (floor >= this.#below) this.#below = -1;
    if (!this.#isInFlight) return false;
    this.#isInFlight = false;
    this.#below = offset;
    return true;
  }
}
