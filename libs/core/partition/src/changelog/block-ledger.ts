// Which blocks of the changelog still hold an entry's base, hence where the floor lies (K3) and how long the log
// above it is (K8).
//
// Owns: a count of bases per block from the floor to the end.      Does not own: bases (EntryTable), the log itself.
//
// Invariants
//   BL1  bases[k] is the number of live entries whose baseBlock is first + k.
//   BL2  The floor is the offset of the first block with a base, and never above the first block of the last commit. It
//        never goes back: below a floor that was stated the log may be gone.
import { assert } from '@flatline/base';

interface KnownBlock {
  readonly offset: number;
  /** Bytes of the block; for blocks known only through rows of the local store, of those bases. */
  bytes: number;
  bases: number;
}

export class BlockLedger {
  readonly #blocks: KnownBlock[] = [];
  /** Ordinal of `#blocks[#head]`, and how many leading elements are already below the floor. */
  #first = 0;
  #head = 0;
  /** Ordinal of the first block of the last commit. */
  #lastCommit = 0;
  #logBytes = 0;
  /** An ordinal, and how many bases lie below: none comes there any more. */
  #countedBelow = 0;
  basesBelow = 0;
  /** The floor while no block is known. */
  #restoredFloor = 0;

  /** Bytes of all blocks from the floor to the end; whole ones, although `stretch` makes fractions. */
  get logBytes(): number {
    return Math.max(0, Math.round(this.#logBytes));
  }

  /** The ordinal the next block will have. */
  get end(): number {
    return this.#first + this.#blocks.length - this.#head;
  }

  /** Offsets of blocks rise with their ordinals. Returns the ordinal. */
  append(offset: number, bytes: number): number {
    const last = this.#blocks.at(-1);
    assert(last === undefined || offset > last.offset, 'block offsets rise', { offset, last: last?.offset });
    this.#blocks.push({ offset, bytes, bases: 0 });
    this.#logBytes += bytes;
    return this.end - 1;
  }

  /** Changelog offset of a block above the floor. */
  offsetOf(ordinal: number): number {
    return this.#at(ordinal).offset;
  }

  /** Ordinal of the oldest of the newest blocks that have at most `bytes` together. */
  newest(bytes: number): number {
    let ordinal = this.end;
    for (let left = bytes; ordinal > this.#first; ordinal -= 1) {
      left -= this.#at(ordinal - 1).bytes;
      if (left < 0) break;
    }
    return ordinal;
  }

  /** Counts the bases in the blocks below `ordinal`, from now on as they leave them: `basesBelow`. */
  countBelow(ordinal: number): number {
    this.#countedBelow = ordinal;
    this.basesBelow = 0;
    for (let each = this.#first; each < ordinal; each += 1) this.basesBelow += this.#at(each).bases;
    return this.basesBelow;
  }

  /** Says that the blocks from `ordinal` on are the last commit's. */
  beginCommit(ordinal: number): void {
    this.#lastCommit = ordinal;
  }

  gained(ordinal: number): void {
    this.#at(ordinal).bases += 1;
  }

  left(ordinal: number): void {
    const block = this.#at(ordinal);
    block.bases -= 1;
    if (ordinal < this.#countedBelow) this.basesBelow -= 1;
    assert(block.bases >= 0, 'a block loses no base it does not hold', { ordinal });
  }

  /**
   * For restoring out of a store, where blocks are known by their bases only: spreads what is known of the log's length
   * over them, so that the sweep does not take a long log for a short one.
   */
  stretch(logBytes: number): void {
    const factor = logBytes / this.#logBytes;
    if (!(factor > 1) || !Number.isFinite(factor)) return;
    for (const block of this.#blocks) block.bytes *= factor;
    this.#logBytes = logBytes;
  }

  /** For restoring: the last commit's floor stands until a block is known, which a store without entries tells of none. */
  restoreFloor(offset: number): void {
    this.#restoredFloor = offset;
  }

  /** Drops what lies below the floor and returns the floor. */
  floor(): number {
    while (this.#first < this.#lastCommit && this.#head < this.#blocks.length) {
      const block = this.#blocks[this.#head]!;
      if (block.bases > 0) break;
      this.#logBytes -= block.bytes;
      this.#head += 1;
      this.#first += 1;
    }
    this.#compact();
    return this.#blocks[this.#head]?.offset ?? this.#restoredFloor;
  }

  #at(ordinal: number): KnownBlock {
    const block = this.#blocks[this.#head + ordinal - this.#first];
    assert(block !== undefined, 'a block above the floor is known', { ordinal, first: this.#first });
    return block;
  }

  /** Shifting the array once per block would be quadratic; once per doubling is not. */
  #compact(): void {
    if (this.#head < 1024 || this.#head * 2 < this.#blocks.length) return;
    this.#blocks.splice(0, this.#head);
    this.#head = 0;
  }
}
