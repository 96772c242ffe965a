// Rows for the local store, copied out of the table: keys and images lie in memory that is used again.
import { ByteWriter } from '@flatline/base';
import type { EntryWindow } from '@flatline/kinds';
import type { RowPlace } from '@flatline/ports';
import type { EntryTable } from '../entries/entry-table.ts';

interface RowLimits {
  readonly limit: number;
  readonly bytesMax: number;
}

export class RowBuffer {
  readonly #table: EntryTable;
  readonly #out = new ByteWriter(64 * 1024);
  readonly #slots: number[] = [];
  /** The rows, by ascending slot; made once that is asked for. */
  #ascending: number[] = [];
  /** Three numbers for each row: where its key begins, where its image begins, and where that ends. */
  readonly #starts: number[] = [];
  /** Note passed to `add` with each row. */
  readonly #notes: number[] = [];

  constructor(table: EntryTable) {
    this.#table = table;
  }

  get count(): number {
    return this.#slots.length;
  }

  get bytes(): number {
    return this.#out.length;
  }

  get slots(): readonly number[] {
    return this.#slots;
  }

  /** Copies the entry as it is. `note` comes back with its place. */
  add(entry: EntryWindow, note: number): void {
    const out = this.#out;
    this.#slots.push(entry.slot);
    this.#notes.push(note);
    const { keyView, keyStart, keyLength } = entry;
    this.#starts.push(out.length, out.length + keyLength);
    out.rawView(keyView, keyStart, keyLength);
    this.#table.format.encode(entry, out);
    this.#addState(entry.slot);
    this.#starts.push(out.length);
  }

  #addState(slot: number): void {
    const { states } = this.#table;
    const { arena } = states;
    const count = states.countOf(slot);
    for (let page = 0; page < count; page += 1) {
      const reference = states.pageAt(slot, page);
      this.#out.raw(arena.bytes, arena.startOf(reference), arena.lengthOf(reference));
    }
  }

  /**
   * Where the rows from the `first` by slot on lie, one at least: up to `limit` of them, up to the first that reaches `bytesMax`.
   * Good until the next `add` or `clear`.
   */
  places(
    first: number,
    { limit, bytesMax }: RowLimits,
    sequence: number,
    offsetOf: (note: number) => number,
  ): readonly RowPlace[] {
    const bytes = this.#out.peek();
    if (this.#ascending.length < this.count) this.#order();
    const end = Math.min(this.count, first + limit);
    const places: RowPlace[] = [];
    let left = bytesMax;
    for (let at = first; at < end && left > 0; at += 1) {
      const row = this.#ascending[at]!;
      const keyStart = this.#starts[3 * row]!;
      const imageStart = this.#starts[3 * row + 1]!;
      places.push({
        slot: this.#slots[row]!,
        sequence,
        bytes,
        keyStart,
        keyLength: imageStart - keyStart,
        imageStart,
        imageLength: this.#starts[3 * row + 2]! - imageStart,
        changelogOffset: offsetOf(this.#notes[row]!),
      });
      left -= this.#starts[3 * row + 2]! - keyStart;
    }
    return places;
  }

  /** Key and image of a row, by its place among those added. Good until the next `add` or `clear`. */
  imageOf(row: number): { readonly key: Uint8Array; readonly image: Uint8Array } {
    const bytes = this.#out.peek();
    const [keyStart, imageStart, imageEnd] = this.#starts.slice(3 * row, 3 * row + 3);
    return { key: bytes.subarray(keyStart, imageStart), image: bytes.subarray(imageStart, imageEnd) };
  }

  /** A cut adds two stretches of rows: changed ones, and swept ones. */
  #order(): void {
    const slots = this.#slots;
    this.#ascending = Array.from(slots.keys()).sort((a, b) => slots[a]! - slots[b]!);
  }

  clear(): void {
    this.#ascending = [];
    this.#out.clear();
    this.#slots.length = 0;
    this.#starts.length = 0;
    this.#notes.length = 0;
  }
}
