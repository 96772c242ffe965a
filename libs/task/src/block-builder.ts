// Cuts operations into block bodies below a byte limit, and remembers which slot's image lies where.
//
// Owns: the bodies of the commit being cut.      Does not own: headers, which need what only the whole cut knows.
import { ByteWriter } from '@flatline/base';
import { type CommitHeader, encodeHeader, OP_IMAGE, OP_REMOVAL } from './block-format.ts';
import type { EntryView } from './entry-view.ts';
import { digestOf, encodeImage } from './entry-image.ts';

/** One block of a cut, as it goes to the changelog and, once committed, to the local store. */
export interface CutBlock {
  readonly bytes: Uint8Array;
  /** Where the body begins in `bytes`. */
  readonly bodyStart: number;
  /** Slots with an image in this block, in order, and where in the body each one's operation begins. */
  readonly slots: Int32Array;
  readonly starts: Int32Array;
}

/** A body in the making: it lies behind room for its header, so that it is copied once. */
interface Body {
  readonly bytes: Uint8Array;
  readonly slots: Int32Array;
  readonly starts: Int32Array;
}

/** Left free before a body. A longer header, of very long names, costs a second copy. */
const HEADER_ROOM = 512;

export class BlockBuilder {
  readonly #maxBytes: number;
  readonly #body = new ByteWriter(64 * 1024);
  readonly #slots: number[] = [];
  readonly #starts: number[] = [];
  readonly #finished: Body[] = [];
  #writtenBytes = 0;

  /** `maxBytes`: a body is closed once it has reached it, so a block is longer by one operation and a header at most. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Bytes of all bodies so far. */
  get writtenBytes(): number {
    return this.#writtenBytes + this.#body.length;
  }

  addRemoval(key: Uint8Array): void {
    this.#closeIfFull();
    this.#body.u8(OP_REMOVAL);
    this.#body.block(key);
  }

  /** Writes the entry's present state and leaves its digest and size in the entry. */
  addImage(entry: EntryView): void {
    this.#closeIfFull();
    const body = this.#body;
    const start = body.length;
    const { keyBytes, keyStart, keyLength } = entry;
    body.u8(OP_IMAGE);
    body.block(keyBytes, keyStart, keyLength);
    const imageStart = body.beginBlock();
    encodeImage(entry, body);
    const imageLength = body.length - imageStart;
    const keyDigest = digestOf(keyBytes, keyStart, keyLength);
    entry.imageDigest = digestOf(body.buffer, imageStart, imageLength, keyDigest);
    body.endBlock(imageStart);
    entry.imageBytes = body.length - start;
    this.#slots.push(entry.slot);
    this.#starts.push(start);
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
    const bytes = new Uint8Array(HEADER_ROOM + this.#body.length);
    bytes.set(this.#body.peek(), HEADER_ROOM);
    this.#finished.push({
      bytes,
      slots: Int32Array.from(this.#slots),
      starts: Int32Array.from(this.#starts),
    });
    this.#body.clear();
    this.#slots.length = 0;
    this.#starts.length = 0;
  }
}

function withHeader(header: CommitHeader, { bytes, slots, starts }: Body): CutBlock {
  const out = new ByteWriter(HEADER_ROOM);
  encodeHeader(header, out);
  const bodyStart = out.length;
  if (bodyStart <= HEADER_ROOM) {
    bytes.set(out.peek(), HEADER_ROOM - bodyStart);
    return { bytes: bytes.subarray(HEADER_ROOM - bodyStart), bodyStart, slots, starts };
  }
  out.raw(bytes, HEADER_ROOM);
  return { bytes: out.copy(), bodyStart, slots, starts };
}
