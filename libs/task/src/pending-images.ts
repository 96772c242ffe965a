// The images of a flush, those left out that a later commit makes obsolete, in an order that suits the store.
//
// Owns: the place in the commits, the images gathered and not yet taken.      Does not own: commits, entries.
//
// Invariants
//   PI1  Of the images of one key, an earlier commit's is taken before a later one's.
//   PI2  An image is left out only if the flush has its key's removal in a later commit, or a later commit, of this flush
//        or the next, has another image of it.
//
// Neighbours in the store's tree written together touch an order of magnitude fewer pages. That needs keys nearly in order
// only, so windows of images are sorted by four bytes of their keys, those after what all keys of the window have in
// common, as plain numbers: comparing whole keys takes twenty times as long.
import { assert, ByteReader } from '@flatline/base';
import { OP_IMAGE } from './block-format.ts';
import type { LoggedCommit } from './checkpoint-queue.ts';
import type { EntryTable } from './entry-table.ts';
import type { EntryView } from './entry-view.ts';
import type { ImagePlace } from './ports/state-store.ts';

/** Images sorted together: their index takes 16 of a double's 53 bits, the key's bytes 32. */
const WINDOW = 1 << 16;

export class PendingImages {
  readonly #commits: readonly LoggedCommit[];
  readonly #table: EntryTable;
  readonly #view: EntryView;
  /** Of each key removed: the last commit of the flush that does it. */
  readonly #removedBy = new Map<string, number>();
  /** Ledger ordinal after the flush's last block. */
  readonly #ordinalsEnd: number;
  /** The next image looked at. */
  #commit = 0;
  #part = 0;
  #image = 0;
  #window: ImagePlace[] = [];
  /** Indices into the window, each in the low 16 bits of a number that sorts it. */
  #order: Float64Array = new Float64Array(0);
  #taken = 0;

  constructor(commits: readonly LoggedCommit[], table: EntryTable) {
    this.#commits = commits;
    this.#table = table;
    this.#view = table.view();
    const last = commits.at(-1);
    this.#ordinalsEnd = last === undefined ? 0 : last.firstOrdinal + last.blocks.length;
  }

  /** Says that `commit` of the flush removes a key. Commits come in order, and all removals before the first image is taken. */
  noteRemoval(key: Uint8Array, commit: number): void {
    this.#removedBy.set(keyText(key), commit);
  }

  /** Up to `limit` images; none when all are taken. */
  take(limit: number): ImagePlace[] {
    if (this.#taken === this.#order.length) this.#fillWindow();
    const end = Math.min(this.#taken + limit, this.#order.length);
    const images: ImagePlace[] = [];
    for (; this.#taken < end; this.#taken += 1) images.push(this.#window[this.#order[this.#taken]! % WINDOW]!);
    return images;
  }

  #fillWindow(): void {
    this.#window = [];
    while (this.#window.length < WINDOW && this.#commit < this.#commits.length) this.#gatherBlock();
    this.#order = sortedOrder(this.#window);
    this.#taken = 0;
  }

  /** Takes in what is left of the current block, as far as the window has room. */
  #gatherBlock(): void {
    const commit = this.#commits[this.#commit]!;
    const block = commit.blocks[this.#part];
    if (block === undefined) {
      this.#commit += 1;
      this.#part = 0;
      return;
    }
    const { bytes, bodyStart, slots, starts } = block;
    const ordinal = commit.firstOrdinal + this.#part;
    const changelogOffset = commit.offsets[this.#part]!;
    const input = new ByteReader(bytes);
    while (this.#image < slots.length && this.#window.length < WINDOW) {
      const slot = slots[this.#image]!;
      const start = bodyStart + starts[this.#image]!;
      this.#image += 1;
      const newest = this.#newestBlock(slot);
      // Another commit of this flush has this key's next image, or has its removal if another key has taken the slot.
      if (newest > ordinal && newest < this.#ordinalsEnd) continue;
      input.position = start;
      const image = placeOfImage(input, changelogOffset);
      // A slot is named once in a commit: the entry there is this key's, and this its newest image.
      if (newest === ordinal || !this.#isObsolete(image, slot, newest)) this.#window.push(image);
    }
    if (this.#image < slots.length) return;
    this.#image = 0;
    this.#part += 1;
  }

  /** Ledger ordinal of the block that holds the newest committed image of the slot's entry; −1: none, or no entry. */
  #newestBlock(slot: number): number {
    return this.#table.isLive(slot) ? this.#view.at(slot).imageBlock : -1;
  }

  /** An entry that has gone says nothing: its removal may not be committed yet, and until then this image is what is live. */
  #isObsolete({ bytes, keyStart, keyLength }: ImagePlace, slot: number, newest: number): boolean {
    if (newest >= this.#ordinalsEnd && this.#table.hasKey(slot, bytes, keyStart, keyLength)) return true;
    if (this.#removedBy.size === 0) return false;
    const removedBy = this.#removedBy.get(keyText(bytes.subarray(keyStart, keyStart + keyLength)));
    return removedBy !== undefined && removedBy > this.#commit;
  }
}

/** The image whose operation begins where `input` stands. */
function placeOfImage(input: ByteReader, changelogOffset: number): ImagePlace {
  assert(input.u8() === OP_IMAGE, 'a recorded start is that of an image');
  const keyLength = input.varint();
  const keyStart = input.position;
  input.position += keyLength;
  const imageLength = input.varint();
  return { bytes: input.bytes, keyStart, keyLength, imageStart: input.position, imageLength, changelogOffset };
}

/** The window's indices, nearly in the order of their keys; of equal keys, in the order in which they came (PI1). */
function sortedOrder(window: readonly ImagePlace[]): Float64Array {
  const common = commonPrefix(window);
  const order = new Float64Array(window.length);
  window.forEach(({ bytes, keyStart, keyLength }, index) => {
    let prefix = 0;
    for (let i = common; i < common + 4; i += 1) prefix = prefix * 256 + (i < keyLength ? bytes[keyStart + i]! : 0);
    order[index] = prefix * WINDOW + index;
  });
  return order.sort();
}

/** How many bytes all keys of the window begin with. */
function commonPrefix(window: readonly ImagePlace[]): number {
  const first = window[0];
  if (first === undefined) return 0;
  let common = first.keyLength;
  for (const { bytes, keyStart, keyLength } of window) {
    common = Math.min(common, keyLength);
    for (let i = 0; i < common; i += 1) if (bytes[keyStart + i] !== first.bytes[first.keyStart + i]) common = i;
  }
  return common;
}

/** One character per byte: decoding as UTF-8 would make different keys equal. */
const latin = new TextDecoder('latin1');

function keyText(key: Uint8Array): string {
  return latin.decode(key);
}
