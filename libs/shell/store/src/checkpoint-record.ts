// The one record of a store that is no row: what its rows are a checkpoint of. There is none before the first checkpoint.
import { ByteReader, ByteWriter } from '@flatline/base';
import type { StoreCheckpoint } from '@flatline/ports';
import { Damaged } from './lmdb-page.ts';
import { asDamaged, CHECKPOINT_TAG, seal, unseal, viewOf } from './stored-row.ts';

/** Sorts before every row: one look at the leftmost leaf finds it. */
export const checkpointKey: Uint8Array = new Uint8Array([CHECKPOINT_TAG]);

/** Version of the layout of a store's keys and values. */
const FORMAT_VERSION = 3;

export function encodeCheckpoint(checkpoint: StoreCheckpoint): Uint8Array {
  const writer = new ByteWriter(256);
  writer.u8(FORMAT_VERSION);
  writer.text(checkpoint.logId);
  writer.varint(checkpoint.changelogPosition);
  writer.block(checkpoint.commitHeader);
  writer.varint(checkpoint.liveEntries);
  writer.f64(checkpoint.digest);
  seal(viewOf(checkpointKey), writer);
  return writer.copy();
}

/** @throws Damaged: 'checksum', or 'format' where another version wrote it. */
export function decodeCheckpoint(bytes: Uint8Array): StoreCheckpoint {
  const reader = new ByteReader(bytes, 0, unseal(viewOf(checkpointKey), viewOf(bytes)));
  try {
    const version = reader.u8();
    if (version !== FORMAT_VERSION)
      throw new Damaged('format', `store format ${version}, this version reads ${FORMAT_VERSION}`);
    return {
      logId: reader.text(),
      changelogPosition: reader.varint(),
      commitHeader: new Uint8Array(reader.block()),
      liveEntries: reader.varint(),
      digest: reader.f64(),
    };
  } catch (error) {
    throw asDamaged(error);
  }
}
