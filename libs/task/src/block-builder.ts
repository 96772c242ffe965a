// Cuts operations into block bodies below a byte limit, and remembers which slot's image lies where.
//
// Owns: the bodies of the commit being cut.      Does not own: headers, which need what only the whole cut knows.
import { ByteWriter } from '@flatline/base';
import { type CommitHeader, encodeHeader, OP_IMAGE, OP_REMOVAL } from './block-format.ts';
import type { EntryView } from './entry-view.ts';
import { encodeImage, imageDigest } from './entry-image.ts';

/** One block of a cut, as it goes to the changelog and, once committed, to the local store. */
export interface CutBlock {
  readonly bytes: Uint8Array;
  /** Where the body begins in `bytes`. */
  readonly bodyStart: number;
  /** Slots with an image in this block, in order, and where in the body each one's operation begins. */
  readonly slots: Int32Array;
  readonly starts: Int32Array;
}

interface Body {
  readonly bytes: Uint8Array;
  readonly slots: Int32Array;
  readonly starts: Int32Array;
}

export class BlockBuilder {
  readonly #maxBytes: number;
  readonly #body = new ByteWriter(64 * 1024);
  readonly #image = new ByteWriter(256);
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
  addImage(entry: EntryView, key: Uint8Array, keyStart: number, keyLength: number): void {
    this.#closeIfFull();
    const body = this.#body;
    const start = body.length;
    body.u8(OP_IMAGE);
    body.varint(keyLength);
    body.raw(key, keyStart, keyLength);
    this.#image.clear();
    encodeImage(entry, this.#image);
    body.varint(this.#image.length);
    body.raw(this.#image.peek());
    entry.imageDigest = imageDigest(
      { bytes: key, start: keyStart, length: keyLength },
      { bytes: this.#image.peek(), start: 0, length: this.#image.length },
    );
    entry.imageBytes = body.length - start;
    this.#slots.push(entry.slot);
    this.#starts.push(start);
  }

  /** Puts headers before the bodies and empties the builder. A cut has at least one block, empty if need be (K1). */
  finish(header: Omit<CommitHeader, 'part' | 'parts'>): readonly CutBlock[] {
    if (this.#body.length > 0 || this.#finished.length === 0) this.#closeBody();
    const parts = this.#finished.length;
    const out = new ByteWriter(this.#maxBytes + 1024);
    const blocks = this.#finished.map((body, part): CutBlock => {
      out.clear();
      encodeHeader({ ...header, part, parts }, out);
      const bodyStart = out.length;
      out.raw(body.bytes);
      return { bytes: out.copy(), bodyStart, slots: body.slots, starts: body.starts };
    });
    this.#finished.length = 0;
    this.#writtenBytes = 0;
    return blocks;
  }

  #closeIfFull(): void {
    if (this.#body.length >= this.#maxBytes) this.#closeBody();
  }

  #closeBody(): void {
    this.#writtenBytes += this.#body.length;
    this.#finished.push({
      bytes: this.#body.copy(),
      slots: Int32Array.from(this.#slots),
      starts: Int32Array.from(this.#starts),
    });
    this.#body.clear();
    this.#slots.length = 0;
    this.#starts.length = 0;
  }
}
