// Cuts operations into block bodies below a byte limit, and remembers which slots have an image in which.
//
// Owns: the bodies of the commit being cut.      Does not own: headers, which need what only the whole cut knows.
import { ByteWriter, type ReusedMemory } from '@flatline/base';
import { type CommitHeader, encodeHeader, OP_IMAGE, OP_REMOVAL } from './block-format.ts';
import type { EntryFormat, EntryWindow } from '@flatline/kinds';
import { digestOf } from './digest.ts';

/** One block of a cut. */
export interface CutBlock {
  readonly bytes: Uint8Array;
  /** Where the body begins in `bytes`. */
  readonly bodyStart: number;
  /** Slots with an image in this block, in order. */
  readonly slots: Int32Array;
}

/** A body in the making: it lies behind room for its header, so that it is copied once. */
interface Body {
  readonly bytes: Uint8Array;
  readonly slots: Int32Array;
}

/** Images noted before the notes grow. */
const IMAGES_FIRST = 1024;
/** Left free before a body. A longer header, of very long names, costs a second copy. */
const HEADER_ROOM = 512;

export class BlockBuilder {
  readonly #format: EntryFormat;
  readonly #maxBytes: number;
  readonly #memory: ReusedMemory;
  readonly #body = new ByteWriter(64 * 1024);
  #slots = new Int32Array(IMAGES_FIRST);
  #images = 0;
  readonly #finished: Body[] = [];
  #writtenBytes = 0;

  /** `maxBytes`: a body is closed once it has reached it, so a block is longer by one operation and a header at most. */
  constructor(format: EntryFormat, maxBytes: number, memory: ReusedMemory) {
    this.#format = format;
    this.#maxBytes = maxBytes;
    this.#memory = memory;
  }

  /** Bytes of all bodies so far. */
  get writtenBytes(): number {
    return this.#writtenBytes + this.#body.length;
  }

  /** Number of the block that is being written, from 0. */
  get part(): number {
    return this.#finished.length;
  }

  addRemoval(key: Uint8Array): void {
    this.#closeIfFull();
    this.#body.u8(OP_REMOVAL);
    this.#body.block(key);
  }

  /** Writes the entry's present state and leaves its digest and size in the entry. */
  addImage(entry: EntryWindow): void {
    this.#closeIfFull();
    const body = this.#body;
    const start = body.length;
    const { keyView, keyStart, keyLength } = entry;
    body.u8(OP_IMAGE);
    body.varint(keyLength);
    body.rawView(keyView, keyStart, keyLength);
    const imageStart = body.beginBlock();
    this.#format.encode(entry, body);
    const keyDigest = digestOf(keyView, keyStart, keyLength);
    entry.imageDigest = digestOf(body.view, imageStart, body.length - imageStart, keyDigest);
    body.endBlock(imageStart);
    entry.imageBytes = body.length - start;
    this.#note(entry.slot);
  }

  /** Puts headers before the bodies and empties the builder. A cut has at least one block, empty if need be (K1). */
  finish(header: Omit<CommitHeader, 'part' | 'parts'>): readonly CutBlock[] {
    if (this.#body.length > 0 || this.#finished.length === 0) this.#closeBody();
    const parts = this.#finished.length;
    const blocks = this.#finished.map((body, part) => withHeader({ ...header, part, parts }, body));
    this.#finished.length = 0;
    this.#writtenBytes = 0;
    return blocks;
  }

  #closeIfFull(): void {
    if (this.#body.length >= this.#maxBytes) this.#closeBody();
  }

  #closeBody(): void {
    this.#writtenBytes += this.#body.length;
    const bytes = this.#memory.take(HEADER_ROOM + this.#body.length);
    bytes.set(this.#body.peek(), HEADER_ROOM);
    this.#finished.push({ bytes, slots: this.#slots.slice(0, this.#images) });
    this.#body.clear();
    this.#images = 0;
  }

  #note(slot: number): void {
    if (this.#images === this.#slots.length) this.#slots = doubled(this.#slots);
    this.#slots[this.#images] = slot;
    this.#images += 1;
  }
}

function withHeader(header: CommitHeader, { bytes, slots }: Body): CutBlock {
  const out = new ByteWriter(HEADER_ROOM);
  encodeHeader(header, out);
  const bodyStart = out.length;
  if (bodyStart <= HEADER_ROOM) {
    bytes.set(out.peek(), HEADER_ROOM - bodyStart);
    return { bytes: bytes.subarray(HEADER_ROOM - bodyStart), bodyStart, slots };
  }
  out.raw(bytes, HEADER_ROOM);
  return { bytes: out.copy(), bodyStart, slots };
}

function doubled(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(numbers.length * 2);
  grown.set(numbers);
  return grown;
}
