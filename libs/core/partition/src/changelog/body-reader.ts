// The operations of a block's body, a group at a time: as many keys as can be looked ahead at.
import { ByteReader, MalformedBytes } from '@flatline/base';
import { OP_IMAGE, OP_REMOVAL } from './block-format.ts';
import { KEY_GROUP_MAX, type KeySpans } from '@flatline/ports';

/** Where operations lie in the block's bytes, in their order. */
export class OperationGroup implements KeySpans {
  count = 0;
  readonly starts = new Int32Array(KEY_GROUP_MAX);
  readonly lengths = new Int32Array(KEY_GROUP_MAX);
  /** Where each operation begins; one with an image ends with it. */
  readonly operations = new Int32Array(KEY_GROUP_MAX);
  /** −1: a removal. */
  readonly imageStarts = new Int32Array(KEY_GROUP_MAX);
  readonly imageEnds = new Int32Array(KEY_GROUP_MAX);
}

export class BodyReader {
  readonly group = new OperationGroup();
  readonly #input: ByteReader;

  constructor(bytes: Uint8Array, bodyStart: number) {
    this.#input = new ByteReader(bytes, bodyStart);
  }

  /** Fills `group` with the next operations; false at the end. @throws MalformedBytes, having shown none of these */
  next(): boolean {
    const { group } = this;
    const input = this.#input;
    let count = 0;
    for (; count < KEY_GROUP_MAX && input.remaining > 0; count += 1) {
      group.operations[count] = input.position;
      const operation = input.u8();
      const keyLength = input.varint();
      group.starts[count] = input.position;
      group.lengths[count] = keyLength;
      input.skip(keyLength);
      if (operation === OP_IMAGE) {
        const imageLength = input.varint();
        group.imageStarts[count] = input.position;
        input.skip(imageLength);
        group.imageEnds[count] = input.position;
      } else if (operation === OP_REMOVAL) group.imageStarts[count] = -1;
      else throw new MalformedBytes(`unknown operation ${operation} in a changelog block`);
    }
    group.count = count;
    return count > 0;
  }
}
