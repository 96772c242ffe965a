import { expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { BlockLedger } from './block-ledger.ts';

interface NaiveBlock {
  readonly offset: number;
  readonly bytes: number;
  bases: number;
}

/** All blocks there ever were, by ordinal. */
class NaiveLedger {
  readonly blocks: NaiveBlock[] = [];
  #lastCommit = 0;

  beginCommit(ordinal: number): void {
    this.#lastCommit = ordinal;
  }

  /** Ordinal of the block at the floor (BL2). */
  get floor(): number {
    const held = this.blocks.findIndex(({ bases }) => bases > 0);
    return held < 0 ? this.#lastCommit : Math.min(held, this.#lastCommit);
  }

  get logBytes(): number {
    return this.blocks.slice(this.floor).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  newest(bytes: number): number {
    let [ordinal, left] = [this.blocks.length, bytes];
    while (ordinal > this.floor && (left -= this.blocks[ordinal - 1]!.bytes) >= 0) ordinal -= 1;
    return ordinal;
  }

  basesBelow(ordinal: number): number {
    return this.blocks.slice(0, ordinal).reduce((sum, { bases }) => sum + bases, 0);
  }
}

test('[K3][K8] the ledger of blocks says what a list of all blocks says, also once thousands have gone and come', () => {
  const random = seededRandom(3);
  const ledger = new BlockLedger();
  const naive = new NaiveLedger();
  let counted = 0;
  for (let commit = 0, offset = 0; commit < 4_000; commit += 1) {
    const first = ledger.end;
    for (let parts = 1 + random.below(3); parts > 0; parts -= 1) {
      const block = { offset: (offset += 1 + random.below(3)), bytes: 10 + random.below(90), bases: 0 };
      expect(ledger.append(block.offset, block.bytes)).toBe(naive.blocks.push(block) - 1);
      for (let bases = random.below(4); bases > 0; bases -= 1) {
        ledger.gained(ledger.end - 1);
        block.bases += 1;
      }
    }
    ledger.beginCommit(first);
    naive.beginCommit(first);
    // Old ones go in the order in which they came, but for some that stay long.
    const oldest = naive.floor;
    for (let ordinal = oldest; ordinal < Math.min(first, oldest + 40); ordinal += 1)
      for (const block = naive.blocks[ordinal]!; block.bases > 0 && !random.chance(0.2); block.bases -= 1)
        ledger.left(ordinal);
    if (commit % 50 !== 0) continue;
    expect(ledger.basesBelow).toBe(naive.basesBelow(counted));
    expect(ledger.floor()).toBe(naive.blocks[naive.floor]!.offset);
    expect(ledger.logBytes).toBe(naive.logBytes);
    const some = random.below(2 * naive.logBytes);
    expect(ledger.newest(some)).toBe(naive.newest(some));
    counted = ledger.newest(naive.logBytes / 2);
    expect(ledger.countBelow(counted)).toBe(naive.basesBelow(counted));
    expect(ledger.offsetOf(ledger.end - 1)).toBe(naive.blocks.at(-1)!.offset);
  }
  expect(naive.floor).toBeGreaterThan(2_000);
});
