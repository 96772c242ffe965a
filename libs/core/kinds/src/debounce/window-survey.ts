// Surveys a whole window before its first part is written: the offsets between which its items lie, which of them are alike, and
// which its batch shows.
//
// Owns: how far it has looked, what it has found.
// Does not own: the window.
import type { Reducer } from './debounce-rules.ts';
import type { WindowItems } from './window-items.ts';

/** Bytes as text, each a character: they are only compared. */
const latin1 = new TextDecoder('latin1');

export class WindowSurvey {
  readonly #items: WindowItems;
  readonly #reducer: Reducer;
  /** Where the last item with an identity lies, by identity. */
  readonly #newest = new Map<string, number>();
  /** By item: 1 where another like it came after it. */
  readonly #replaced: Uint8Array;
  #duplicates = 0;
  #count = 0;
  firstOffset: number;
  lastOffset: number;
  /** The first item that none like it follows. */
  #firstKept = 0;

  /** `items`: from the first on, to itself. `count`: at least how many they are. */
  constructor(items: WindowItems, count: number, reducer: Reducer) {
    this.#items = items;
    this.#reducer = reducer;
    this.#replaced = new Uint8Array(items.taken === undefined ? count : 0);
    [this.firstOffset, this.lastOffset] = items.taken ?? [-1, -1];
  }

  get isOver(): boolean {
    return this.#items.isOver;
  }

  get duplicates(): number {
    return this.#duplicates;
  }

  /** Looks at so many items more. */
  advance(items: number): void {
    for (let left = items; left > 0 && !this.isOver; left -= 1) this.#look();
    while (this.#replaced[this.#firstKept] === 1) this.#firstKept += 1;
  }

  /** True if the batch shows the item with that number, counted from 0 among those kept. */
  shows(index: number): boolean {
    switch (this.#reducer) {
      case 'all':
        return this.#replaced[index] !== 1;
      case 'first':
        return index === this.#firstKept;
      case 'last':
      case 'custom':
        return index === this.#count - 1;
      case 'count':
        return false;
    }
  }

  #look(): void {
    const index = this.#count;
    const offset = this.#items.skip((identity) => {
      this.#note(latin1.decode(identity), index);
    });
    this.#count += 1;
    if (this.#items.taken !== undefined) return;
    if (index === 0) this.firstOffset = offset;
    this.lastOffset = offset;
  }

  #note(identity: string, index: number): void {
    const before = this.#newest.get(identity);
    this.#newest.set(identity, index);
    if (before === undefined) return;
    this.#replaced[before] = 1;
    this.#duplicates += 1;
  }
}
