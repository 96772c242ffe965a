import { Damaged } from './lmdb-page.ts';

/** Set of the pages of a file that have been met, each at most once. */
export class PageSet {
  readonly #bits: Uint8Array;
  readonly #lastPage: number;
  readonly #what: string;

  /** `what` names the set in errors: "in use". */
  constructor(lastPage: number, what: string) {
    this.#bits = new Uint8Array(Math.floor(lastPage / 8) + 1);
    this.#lastPage = lastPage;
    this.#what = what;
  }

  /** @throws Damaged where a page of the stretch is no data page of the file, or was met before. */
  add(firstPage: number, count: number): void {
    if (firstPage < 2 || firstPage + count - 1 > this.#lastPage)
      throw new Damaged('unreadable', `page ${firstPage} of ${this.#lastPage} ${this.#what}`);
    for (let page = firstPage; page < firstPage + count; page += 1) {
      const bit = 1 << (page & 7);
      const at = Math.floor(page / 8);
      if ((this.#bits[at]! & bit) !== 0) throw new Damaged('unreadable', `page ${page} is ${this.#what} twice`);
      this.#bits[at]! |= bit;
    }
  }

  /** A page that is in both sets, or undefined. */
  common(other: PageSet): number | undefined {
    const at = this.#bits.findIndex((bits, index) => (bits & other.#bits[index]!) !== 0);
    if (at === -1) return undefined;
    return at * 8 + (31 - Math.clz32(this.#bits[at]! & other.#bits[at]!));
  }
}
