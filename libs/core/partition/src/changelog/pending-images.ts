// The images of a flush, those left out that a later commit makes obsolete, in an order that suits the store.
//
// Owns: the place in the commits, which images are gathered and not yet taken.      Does not own: commits, entries.
//
// Invariants
//   PI1  Of the images of one key, an earlier commit's is taken before a later one's (KO1).
//   PI2  An image is left out only if the flush has its key's removal in a later commit, or a later commit, of this flush
//        or the next, has another image of it.
import { assert, ByteReader } from '@flatline/base';
import type { CutBlock } from './block-builder.ts';
import { OP_IMAGE } from './block-format.ts';
import type { LoggedCommit } from '../checkpoint/checkpoint-queue.ts';
import type { EntryTable } from '../entries/entry-table.ts';
import { KeyOrder, type NumberedKeys, ORDER_BOUNDS, type OrderBounds } from '../entries/key-order.ts';
import { KEY_GROUP_MAX, type ImagePlace } from '@flatline/ports';
import type { RemovedKeys } from '../entries/removed-keys.ts';

/** Images of one block looked at together, and how many there are before others get a turn: some 2 ms. */
const CHUNK_MAX = 1024;
const TURN_IMAGES = 16 * CHUNK_MAX;
/** An image of a bare session lies on two lines. */
const CACHE_LINE = 64;
const NONE: readonly ImagePlace[] = [];

/** A block of the flush. */
interface Source {
  readonly input: ByteReader;
  readonly block: CutBlock;
  readonly ordinal: number;
  readonly changelogOffset: number;
  /** Which of the flush's. */
  readonly commit: number;
}

export class PendingImages implements NumberedKeys {
  readonly #run: number;
  readonly #table: EntryTable;
  readonly #sources: readonly Source[];
  readonly #removed: RemovedKeys;
  /** Ledger ordinal after the flush's last block. */
  readonly #ordinalsEnd: number;
  /** The image looked at next. */
  #source = 0;
  #image = 0;
  /** The window: of each image its source, and where its operation begins there. */
  readonly #sourceOf: Int32Array;
  readonly #startOf: Int32Array;
  #gathered = 0;
  readonly #order = new KeyOrder(this);
  /** The key of the window's image that `at` has gone to. */
  bytes: Uint8Array = new Uint8Array(0);
  start = 0;
  length = 0;
  /** Scratch: of each slot of a chunk, where its newest image is. */
  readonly #newest = new Int32Array(CHUNK_MAX);
  /** Scratch: of a group of images taken, the index of each, and where it begins. */
  readonly #group = new Int32Array(KEY_GROUP_MAX);
  readonly #groupStarts = new Int32Array(KEY_GROUP_MAX);
  /** What was read comes to something here, so that the compiler keeps the reading. */
  residue = 0;

  /** `removed`: of the flush, all noted before the first image is taken. */
  constructor(
    commits: readonly LoggedCommit[],
    table: EntryTable,
    removed: RemovedKeys,
    { window, run }: OrderBounds = ORDER_BOUNDS,
  ) {
    this.#table = table;
    this.#removed = removed;
    this.#run = run;
    this.#sources = commits.flatMap(sourcesOf);
    this.#ordinalsEnd = (this.#sources.at(-1)?.ordinal ?? -1) + 1;
    const images = this.#sources.reduce((sum, { block }) => sum + block.slots.length, 0);
    this.#sourceOf = new Int32Array(Math.min(images, window));
    this.#startOf = new Int32Array(this.#sourceOf.length);
  }

  /** All images, up to `limit` at a time; none where all that was done is a part of the work that comes before. */
  *take(limit: number): Generator<readonly ImagePlace[], void> {
    while (this.#source < this.#sources.length) {
      yield* this.#fillWindow();
      for (let images = this.#merge(limit); images.length > 0; images = this.#merge(limit)) yield images;
    }
  }

  *#fillWindow(): Generator<readonly ImagePlace[], void> {
    this.#gathered = 0;
    this.#order.clear();
    let sorted = 0;
    let looked = 0;
    for (;;) {
      const chunk = this.#gatherChunk();
      looked += chunk;
      if (chunk === 0 || this.#gathered - sorted >= this.#run) {
        if (this.#gathered > sorted) this.#order.addRun(sorted, this.#gathered);
        sorted = this.#gathered;
      }
      if (chunk === 0) return;
      if (looked < TURN_IMAGES) continue;
      looked = 0;
      yield NONE;
    }
  }

  /** Takes the next images of the current block into the window; returns how many it has looked at, 0 where it is full. */
  #gatherChunk(): number {
    while (this.#image === this.#sources[this.#source]?.block.slots.length) {
      this.#source += 1;
      this.#image = 0;
    }
    const source = this.#sources[this.#source];
    if (source === undefined) return 0;
    const { block } = source;
    const first = this.#image;
    const looked = Math.min(CHUNK_MAX, block.slots.length - first, this.#sourceOf.length - this.#gathered);
    this.#table.imageBlocksOf(block.slots, first, looked, this.#newest);
    for (let i = 0; i < looked; i += 1) {
      const start = block.bodyStart + block.starts[first + i]!;
      if (!this.#isWanted(source, start, block.slots[first + i]!, this.#newest[i]!)) continue;
      this.#sourceOf[this.#gathered] = this.#source;
      this.#startOf[this.#gathered] = start;
      this.#gathered += 1;
    }
    this.#image = first + looked;
    return looked;
  }

  #isWanted(source: Source, start: number, slot: number, newest: number): boolean {
    const { ordinal, commit } = source;
    // A slot is named once in a commit: the entry there is this key's, and this its newest image.
    if (newest === ordinal) return true;
    const isOfFlush = newest < this.#ordinalsEnd;
    // Another commit of this flush has this key's next image, or has its removal if another key has taken the slot.
    if (newest > ordinal && isOfFlush) return false;
    // An entry that has gone says nothing: its removal may not be committed yet, and until then this image is what is live.
    const keyLength = openKey(source, start);
    const { bytes, position } = source.input;
    if (!isOfFlush && this.#table.hasKey(slot, bytes, position, keyLength)) return false;
    return this.#removed.lastCommitOf(bytes, position, keyLength) <= commit;
  }

  at(number: number): void {
    const source = this.#sources[this.#sourceOf[number]!]!;
    this.length = openKey(source, this.#startOf[number]!);
    this.bytes = source.input.bytes;
    this.start = source.input.position;
  }

  /** The next images in order. */
  #merge(limit: number): readonly ImagePlace[] {
    const images: ImagePlace[] = [];
    for (let group = KEY_GROUP_MAX; group === KEY_GROUP_MAX && images.length < limit;) {
      group = this.#nextGroup(Math.min(KEY_GROUP_MAX, limit - images.length));
      this.#touchGroup(group);
      for (let i = 0; i < group; i += 1) images.push(this.#placeOf(this.#group[i]!));
    }
    return images;
  }

  /** Indices of the next images into `#group`; returns how many. */
  #nextGroup(limit: number): number {
    let count = 0;
    for (; count < limit; count += 1) {
      const number = this.#order.next();
      if (number < 0) break;
      this.#group[count] = number;
    }
    return count;
  }

  /** In the order of keys images lie anywhere: one after another each would wait for memory, twice (LookAhead). */
  #touchGroup(count: number): void {
    const group = this.#group;
    const starts = this.#groupStarts;
    for (let i = 0; i < count; i += 1) starts[i] = this.#startOf[group[i]!]!;
    let residue = 0;
    for (let i = 0; i < count; i += 1) {
      const { bytes } = this.#sources[this.#sourceOf[group[i]!]!]!.block;
      const start = starts[i]!;
      residue ^= bytes[start]! ^ bytes[Math.min(start + CACHE_LINE, bytes.length - 1)]!;
    }
    this.residue = residue;
  }

  #placeOf(index: number): ImagePlace {
    const source = this.#sources[this.#sourceOf[index]!]!;
    const keyLength = openKey(source, this.#startOf[index]!);
    const { input, changelogOffset } = source;
    const keyStart = input.position;
    input.position += keyLength;
    const imageLength = input.varint();
    return { bytes: input.bytes, keyStart, keyLength, imageStart: input.position, imageLength, changelogOffset };
  }
}

function sourcesOf({ blocks, firstOrdinal, offsets }: LoggedCommit, commit: number): readonly Source[] {
  return blocks.map((block, part) => ({
    block,
    commit,
    ordinal: firstOrdinal + part,
    changelogOffset: offsets[part]!,
    input: new ByteReader(block.bytes),
  }));
}

/** Leaves the source's reader at the key of the image whose operation begins at `start`, and returns the key's length. */
function openKey({ input }: Source, start: number): number {
  input.position = start;
  assert(input.u8() === OP_IMAGE, 'a recorded start is that of an image');
  return input.varint();
}
