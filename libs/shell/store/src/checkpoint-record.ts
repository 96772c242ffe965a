// The one record of a store that is no entry: what it holds, and whether that is whole.
import { ByteReader, ByteWriter } from '@flatline/base';
import type { StoreCheckpoint } from '@flatline/ports';
import { Damaged } from './lmdb-page.ts';
import { CHECKPOINT_TAG, readingSealed, seal, unseal, wholeOf } from './stored-entry.ts';

export interface CheckpointRecord {
  /** undefined: entries were written, but no checkpoint yet stands for them. */
  readonly checkpoint: StoreCheckpoint | undefined;
  /** False between the slices of a flush. */
  readonly clean: boolean;
  /** Entries beyond the first of each hash of a long key: LMDB counts only the hashes. */
  readonly sharedHashes: number;
}

export const emptyRecord: CheckpointRecord = { checkpoint: undefined, clean: true, sharedHashes: 0 };

/** Sorts before every entry: one look at the leftmost leaf finds it. */
export const checkpointKey: Uint8Array = new Uint8Array([CHECKPOINT_TAG]);

/** Version of the layout of a store's keys and values. */
const FORMAT_VERSION = 1;

export function encodeCheckpointRecord(record: CheckpointRecord): Uint8Array {
  const writer = new ByteWriter(256);
  writer.u8(FORMAT_VERSION);
  writer.u8(record.clean ? 1 : 0);
  writer.varint(record.sharedHashes);
  writer.u8(record.checkpoint === undefined ? 0 : 1);
  if (record.checkpoint !== undefined) {
    writer.text(record.checkpoint.logId);
    writer.varint(record.checkpoint.changelogPosition);
    writer.block(record.checkpoint.commitHeader);
    writer.varint(record.checkpoint.liveEntries);
    writer.f64(record.checkpoint.digest);
  }
  seal(checkpointKey, writer);
  return writer.copy();
}

/** @throws Damaged: 'checksum', or 'format' where another version wrote it. */
export function decodeCheckpointRecord(bytes: Uint8Array): CheckpointRecord {
  const reader = new ByteReader(bytes, 0, unseal(wholeOf(checkpointKey), wholeOf(bytes)));
  return readingSealed(() => {
    const version = reader.u8();
    if (version !== FORMAT_VERSION)
      throw new Damaged('format', `store format ${version}, this version reads ${FORMAT_VERSION}`);
    const clean = reader.u8() === 1;
    const sharedHashes = reader.varint();
    const checkpoint = reader.u8() === 1 ? readCheckpoint(reader) : undefined;
    return { checkpoint, clean, sharedHashes };
  });
}

function readCheckpoint(reader: ByteReader): StoreCheckpoint {
  return {
    logId: reader.text(),
    changelogPosition: reader.varint(),
    commitHeader: new Uint8Array(reader.block()),
    liveEntries: reader.varint(),
    digest: reader.f64(),
  };
}
