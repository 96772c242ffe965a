// Which blocks of the changelog still hold an entry's base, hence where the floor lies (K3) and how long the log
// above it is (K8).
//
// Owns: a count of bases per block from the floor to the end.
// Does not own: bases (EntryTable), the log itself.
//
// Invariants
//   BL1  bases[k] is the number of live entries whose baseBlock is first + k.
//   BL2  The floor is the offset of the first block with a base, and never above the first block of the last commit. It
//        never goes back: below a floor that was stated the log may be gone.
//
// Checked
//   inspect    BL1, BL2
//              BL2 as far as blocks are dropped too soon. That no floor goes back the oracle sees in the log (K3).
//   assertion  BL1, where a base leaves.
import { assert } from '@flatline/base';

/** Blocks that there is room for at first. */
const BLOCKS_FIRST = 256;
/** Fewer that have fallen below the floor are not worth moving the others for. */
const DROPPED_MIN = 1_024;

/**
 * Columns, not an object per block: where many small commits come for each base that is rewritten, millions of blocks lie above
 * the floor.
 */
export class BlockLedger {
  #offsets = new Float64Array(BLOCKS_FIRST);
  /** Bytes of each; of blocks known only through rows of the local store, of those bases. */
  #bytes = new Float64Array(BLOCKS_FIRST);
  #bases = new Int32Array(BLOCKS_FIRST);
  /** How many the columns hold, how many of these lie below the floor by now, and the ordinal of the first that does not. */
  #count = 0;
  #head = 0;
  #first = 0;
  /** Ordinal of the first block of the last commit. */
  #lastCommit = 0;
  #logBytes = 0;
  /** An ordinal, and how many bases lie below: none comes there any more. */
  #countedBelow = 0;
  basesBelow = 0;
  /** The last commit's when this was restored: of a block that no row names, an older one may stand in the columns. */
  #restoredFloor = 0;

  /** Bytes of all blocks from the floor to the end; whole ones, although `stretch` makes fractions. */
  get logBytes(): number {
    return Math.max(0, Math.round(this.#logBytes));
  }

  /** The ordinal the next block will have. */
  get end(): number {
    return this.#first + this.#count - this.#head;
  }

  /** Offsets of blocks rise with their ordinals. Returns the ordinal. */
  append(offset: number, bytes: number): number {
    const at = this.#count;
    if (at > 0) {
      const last = this.#offsets[at - 1]!;
      assert(offset > last, 'block offsets rise', { offset, last });
    }
    if (at === this.#offsets.length) this.#grow();
    this.#offsets[at] = offset;
    this.#bytes[at] = bytes;
    this.#bases[at] = 0;
    this.#count = at + 1;
    this.#logBytes += bytes;
    return this.end - 1;
  }

  /** Changelog offset of a block above the floor. */
  offsetOf(ordinal: number): number {
    return this.#offsets[this.#at(ordinal)]!;
  }

  /** Ordinal of the newest block that is known at that offset or below; −1: none is. */
  ordinalAt(offset: number): number {
    let [low, high] = [this.#head, this.#count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#offsets[middle]! <= offset) low = middle + 1;
      else high = middle;
    }
    return low === this.#head ? -1 : this.#first + low - 1 - this.#head;
  }

  /** Ordinal of the oldest of the newest blocks that have at most `bytes` together. */
  newest(bytes: number): number {
    let ordinal = this.end;
    for (let left = bytes; ordinal > this.#first; ordinal -= 1) {
      left -= this.#bytes[this.#at(ordinal - 1)]!;
      if (left < 0) break;
    }
    return ordinal;
  }

  /** Counts the bases in the blocks below `ordinal`, from now on as they leave them: `basesBelow`. */
  countBelow(ordinal: number): number {
    this.#countedBelow = ordinal;
    this.basesBelow = 0;
    for (let each = this.#first; each < ordinal; each += 1) this.basesBelow += this.#bases[this.#at(each)]!;
    return this.basesBelow;
  }

  /** Says that the blocks from `ordinal` on are the last commit's. */
  beginCommit(ordinal: number): void {
    this.#lastCommit = ordinal;
  }

  gained(ordinal: number): void {
    this.#bases[this.#at(ordinal)]! += 1;
  }

  left(ordinal: number): void {
    const at = this.#at(ordinal);
    const bases = this.#bases[at]! - 1;
    this.#bases[at] = bases;
    if (ordinal < this.#countedBelow) this.basesBelow -= 1;
    // BL1
    assert(bases >= 0, 'a block loses no base it does not hold', { ordinal });
  }

  /**
   * For restoring out of a store, where blocks are known by their bases only: spreads what is known of the log's length
   * over them, so that the sweep does not take a long log for a short one.
   */
  stretch(logBytes: number): void {
    const factor = logBytes / this.#logBytes;
    if (!(factor > 1) || !Number.isFinite(factor)) return;
    for (let at = 0; at < this.#count; at += 1) this.#bytes[at]! *= factor;
    this.#logBytes = logBytes;
  }

  /** For restoring: the last commit's floor stands, whatever blocks are known; a store without entries tells of none. */
  restoreFloor(offset: number): void {
    this.#restoredFloor = offset;
  }

  /** Drops what lies below the floor and returns the floor. */
  floor(): number {
    while (this.#first < this.#lastCommit && this.#head < this.#count && this.#bases[this.#head] === 0) {
      this.#logBytes -= this.#bytes[this.#head]!;
      this.#head += 1;
      this.#first += 1;
    }
    this.#compact();
    return this.#head < this.#count ? Math.max(this.#offsets[this.#head]!, this.#restoredFloor) : this.#restoredFloor;
  }

  /**
   * Lists violations of the invariants, in words. `bases`: by ordinal, where there are any. O(blocks), changes nothing. For
   * checks.
   */
  inspect(bases: ReadonlyMap<number, number>): string[] {
    const faults: string[] = [];
    let [bytes, below] = [0, 0];
    for (let at = this.#head, ordinal = this.#first; at < this.#count; at += 1, ordinal += 1) {
      const counted = this.#bases[at]!;
      if (counted !== (bases.get(ordinal) ?? 0))
        faults.push(
          `BL1: block ${ordinal} counts ${counted} bases, ${bases.get(ordinal) ?? 0} entries have theirs there`,
        );
      if (at > 0 && this.#offsets[at]! <= this.#offsets[at - 1]!)
        faults.push(`BL2: block ${ordinal} lies before the one before it`);
      bytes += this.#bytes[at]!;
      if (ordinal < this.#countedBelow) below += counted;
    }
    for (const ordinal of bases.keys())
      if (ordinal < this.#first || ordinal >= this.end)
        faults.push(`BL2: block ${ordinal} has bases, and is not known any more`);
    if (this.#first > this.#lastCommit) faults.push(`BL2: block ${this.#first} is the first, behind the last commit`);
    if (below !== this.basesBelow) faults.push(`BL1: ${this.basesBelow} old bases are counted, ${below} are there`);
    // `stretch` makes fractions, which are added in another order here.
    if (Math.abs(bytes - this.#logBytes) > 1)
      faults.push(`BL1: blocks have ${bytes} bytes, ${this.#logBytes} are counted`);
    return faults;
  }

  /** Where the columns have a block. */
  #at(ordinal: number): number {
    const at = this.#head + ordinal - this.#first;
    assert(at >= this.#head && at < this.#count, 'a block above the floor is known', { ordinal, first: this.#first });
    return at;
  }

  #grow(): void {
    this.#offsets = grown(this.#offsets, new Float64Array(2 * this.#offsets.length));
    this.#bytes = grown(this.#bytes, new Float64Array(2 * this.#bytes.length));
    this.#bases = grown(this.#bases, new Int32Array(2 * this.#bases.length));
  }

  /** Once per doubling: moving the others for each block would be quadratic. */
  #compact(): void {
    if (this.#head < DROPPED_MIN || this.#head * 2 < this.#count) return;
    for (const column of [this.#offsets, this.#bytes, this.#bases]) column.copyWithin(0, this.#head, this.#count);
    this.#count -= this.#head;
    this.#head = 0;
  }
}

function grown<Column extends Float64Array | Int32Array>(column: Column, larger: Column): Column {
  larger.set(column);
  return larger;
}
