// Entries of a local store, a group at a time: as many as can be looked ahead at, and no object for any of them.
import { assert } from '@flatline/base';
import { KEY_GROUP_MAX, type KeySpans } from './log-reader.ts';
import type { StoredImage } from './state-store.ts';

/** Where entries lie in the same bytes: their keys are its spans. Filled by a store, read until the next step of its scan. */
export class StoredGroup implements KeySpans {
  bytes: Uint8Array = new Uint8Array(0);
  count = 0;
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
  imageAt(index: number): StoredImage {
    const start = this.starts[index]!;
    return {
      key: this.bytes.slice(start, start + this.lengths[index]!),
      image: this.bytes.slice(this.imageStarts[index], this.imageEnds[index]),
      changelogOffset: this.changelogOffsets[index]!,
    };
  }
}

/** Copies entries that lie anywhere into a group, KEY_GROUP_MAX at most. */
export function groupOf(images: readonly StoredImage[]): StoredGroup {
  assert(images.length <= KEY_GROUP_MAX, 'a group has room for its entries', { images: images.length });
  const group = new StoredGroup();
  group.bytes = new Uint8Array(images.reduce((sum, { key, image }) => sum + key.length + image.length, 0));
  let end = 0;
  for (const { key, image, changelogOffset } of images) {
    const at = group.count;
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

/** What a scan shows, entry by entry, copied: for callers to which speed does not matter. */
export function* imagesIn(groups: Iterable<StoredGroup>): Generator<StoredImage, void, undefined> {
  for (const group of groups) for (let index = 0; index < group.count; index += 1) yield group.imageAt(index);
}
