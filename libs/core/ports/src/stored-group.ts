// Rows of a local store, a group at a time: as many as can be looked ahead at, and no object for any of them.
import { assert } from '@flatline/base';
import { KEY_GROUP_MAX, type KeySpans } from './log-reader.ts';

/** Stored row of one entry. */
export interface StoredRow {
  /** The entry's number in its task: names the row, and is used again once the entry has gone. */
  readonly slot: number;
  /** Sequence of a commit that the row is the state after: the checkpoint's, or a later one. */
  readonly sequence: number;
  readonly key: Uint8Array;
  readonly image: Uint8Array;
  /** Changelog offset of the block that holds this image. */
  readonly changelogOffset: number;
}

/** Where rows lie in the same bytes: their keys are its spans. Filled by a store, read until the next step of its scan. */
export class StoredGroup implements KeySpans {
  bytes: Uint8Array = new Uint8Array(0);
  count = 0;
  readonly slots = new Int32Array(KEY_GROUP_MAX);
  readonly sequences = new Float64Array(KEY_GROUP_MAX);
  readonly starts = new Int32Array(KEY_GROUP_MAX);
  readonly lengths = new Int32Array(KEY_GROUP_MAX);
  readonly imageStarts = new Int32Array(KEY_GROUP_MAX);
  readonly imageEnds = new Int32Array(KEY_GROUP_MAX);
  /** Offset of the block that holds the image. */
  readonly changelogOffsets = new Float64Array(KEY_GROUP_MAX);

  get isFull(): boolean {
    return this.count === KEY_GROUP_MAX;
  }

  /** A copy of one of them. */
  rowAt(index: number): StoredRow {
    const start = this.starts[index]!;
    return {
      slot: this.slots[index]!,
      sequence: this.sequences[index]!,
      key: this.bytes.slice(start, start + this.lengths[index]!),
      image: this.bytes.slice(this.imageStarts[index], this.imageEnds[index]),
      changelogOffset: this.changelogOffsets[index]!,
    };
  }
}

/** Copies rows that lie anywhere into a group, KEY_GROUP_MAX at most. */
export function groupOf(rows: readonly StoredRow[]): StoredGroup {
  assert(rows.length <= KEY_GROUP_MAX, 'a group has room for its rows', { rows: rows.length });
  const group = new StoredGroup();
  group.bytes = new Uint8Array(rows.reduce((sum, { key, image }) => sum + key.length + image.length, 0));
  let end = 0;
  for (const { slot, sequence, key, image, changelogOffset } of rows) {
    const at = group.count;
    group.slots[at] = slot;
    group.sequences[at] = sequence;
    group.starts[at] = end;
    group.lengths[at] = key.length;
    group.bytes.set(key, end);
    end += key.length;
    group.imageStarts[at] = end;
    group.bytes.set(image, end);
    end += image.length;
    group.imageEnds[at] = end;
    group.changelogOffsets[at] = changelogOffset;
    group.count += 1;
  }
  return group;
}

/** Yields copies of the rows of a scan, one by one: for callers to which speed does not matter. */
export function* rowsIn(groups: Iterable<StoredGroup>): Generator<StoredRow, void, undefined> {
  for (const group of groups) for (let index = 0; index < group.count; index += 1) yield group.rowAt(index);
}
