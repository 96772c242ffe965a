// The operations of a block's body, a group at a time: as many keys as can be looked ahead at.
import { ByteReader } from '@flatline/base';
import { KEY_GROUP_MAX, type KeySpans } from '@flatline/ports';
import {
  KIND_BITS,
  OP_APPEND,
  OP_BASED,
  OP_BIND,
  OP_REBIND,
  OP_REMOVE,
  OP_SHORT_TOUCH,
  OP_TOUCH,
  SHORT_TOUCH_MIN,
  SLOT_SPACE,
} from './block-format.ts';

const KIND_MASK = (1 << KIND_BITS) - 1;

/** Where operations lie in the block's bytes, in their order. */
export class OperationGroup implements KeySpans {
  count = 0;
  /** How many of them have a key: bind and rebind. */
  binds = 0;
  /** OP_TOUCH, whatever length it has, or another. */
  readonly kinds = new Uint8Array(KEY_GROUP_MAX);
  readonly slots = new Int32Array(KEY_GROUP_MAX);
  /** The key of a bind; of others no bytes. */
  readonly starts = new Int32Array(KEY_GROUP_MAX);
  readonly lengths = new Int32Array(KEY_GROUP_MAX);
  /** Head, touch, or bytes of a page. */
  readonly dataStarts = new Int32Array(KEY_GROUP_MAX);
  readonly dataEnds = new Int32Array(KEY_GROUP_MAX);
  /** Number of the page; of a rebind, how many there are. */
  readonly pages = new Float64Array(KEY_GROUP_MAX);
  /** At which byte of the page they stand; of a last word on a base, the offset where that is. */
  readonly ats = new Float64Array(KEY_GROUP_MAX);
}

export class BodyReader {
  readonly group = new OperationGroup();
  readonly #input: ByteReader;
  #slot = 0;

  constructor(bytes: Uint8Array, bodyStart: number) {
    this.#input = new ByteReader(bytes, bodyStart);
  }

  /** Fills `group` with the next operations; false at the end. @throws MalformedBytes, having shown none of these */
  next(): boolean {
    const { group } = this;
    let count = 0;
    group.binds = 0;
    for (; count < KEY_GROUP_MAX && this.#input.remaining > 0; count += 1) this.#read(count);
    group.count = count;
    return count > 0;
  }

  #read(index: number): void {
    const { group } = this;
    const input = this.#input;
    const tag = input.varint();
    const kind = tag & KIND_MASK;
    this.#slot = (this.#slot + Math.floor(tag / 2 ** KIND_BITS)) % SLOT_SPACE;
    group.slots[index] = this.#slot;
    group.kinds[index] = kind >= OP_REBIND ? kind : Math.min(kind, OP_TOUCH);
    group.starts[index] = input.position;
    group.lengths[index] = 0;
    if (kind === OP_REBIND) this.#rebind(index);
    else if (kind === OP_BASED) group.ats[index] = input.varint();
    else if (kind >= OP_SHORT_TOUCH) this.#data(index, kind - OP_SHORT_TOUCH + SHORT_TOUCH_MIN);
    else if (kind === OP_TOUCH) this.#data(index, input.varint());
    else if (kind === OP_BIND) this.#bind(index);
    else if (kind !== OP_REMOVE) this.#page(index, kind);
  }

  #rebind(index: number): void {
    this.group.pages[index] = this.#input.varint();
    this.#bind(index);
  }

  #bind(index: number): void {
    const { group } = this;
    const input = this.#input;
    const length = input.varint();
    group.starts[index] = input.position;
    group.lengths[index] = length;
    group.binds += 1;
    input.skip(length);
    this.#data(index, input.varint());
  }

  #page(index: number, kind: number): void {
    const { group } = this;
    const input = this.#input;
    group.pages[index] = input.varint();
    group.ats[index] = kind === OP_APPEND ? input.varint() : 0;
    this.#data(index, input.varint());
  }

  #data(index: number, length: number): void {
    const { group } = this;
    const input = this.#input;
    group.dataStarts[index] = input.position;
    input.skip(length);
    group.dataEnds[index] = input.position;
  }
}
