// Memory in which records lie, page after page.
//
// Owns: the pages, until they are given back.
// Does not own: what lies in them (RecordPacker, PackedCursor).
//
// Invariants
//   PKP1  What was written stays, byte for byte, until `giveBack`: a commit of unknown outcome is sent again (CM2). From then on
//         there is no page to be had.
import { assert, type ReusedMemory } from '@flatline/base';

/** A kind's commit may have one record: memory is taken by so much at first, and comes back with the commit. */
const PAGE_BYTES = 64 * 1024;

export class PackedPages {
  readonly #memory: ReusedMemory;
  readonly #pages: Uint8Array[] = [];
  /** Behind the last record of each, but of the last page, which is still written. */
  readonly #ends: number[] = [];
  #isGivenBack = false;

  constructor(memory: ReusedMemory) {
    this.#memory = memory;
  }

  get count(): number {
    return this.#pages.length;
  }

  /** Another page, with room for so many bytes. The last record of the former ends at `end`. */
  take(bytes: number, end: number): Uint8Array {
    if (this.#pages.length > 0) this.#ends.push(end);
    const page = this.#memory.take(pageBytes(bytes));
    this.#pages.push(page);
    return page;
  }

  page(at: number): Uint8Array {
    return this.#pages[at]!;
  }

  endOf(at: number): number {
    return this.#ends[at] ?? Infinity;
  }

  /** Called before each record is read. */
  expectKept(): void {
    if (this.#isGivenBack) refuseRead();
  }

  /** They are not read again. */
  giveBack(): void {
    assert(!this.#isGivenBack, 'PKP1: memory is given back once');
    this.#isGivenBack = true;
    for (const page of this.#pages) this.#memory.giveBack(page);
  }
}

/** Few sizes, so that what one long record has left serves the next, whatever its length. */
function pageBytes(bytes: number): number {
  return PAGE_BYTES * 2 ** Math.max(0, Math.ceil(Math.log2(bytes / PAGE_BYTES)));
}

// Apart from its caller, which is hot.
function refuseRead(): never {
  assert(false, 'PKP1: records are read before their memory is given back');
}
