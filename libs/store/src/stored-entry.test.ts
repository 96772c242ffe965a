import { ByteWriter } from '@flatline/base';
import { describe, expect, test } from '@jest/globals';
import { checkpointKey, decodeCheckpointRecord, encodeCheckpointRecord } from './checkpoint-record.ts';
import { Damaged } from './lmdb-page.ts';
import { placeOf } from './testing/workload.ts';
import { decodeLong, decodeShort, encodeLong, encodeShort, seal, wholeOf } from './stored-entry.ts';

const entry = { key: Buffer.from('key'), image: Buffer.from('image'), changelogOffset: 2 ** 45 };
const nodeKey = Buffer.from([1, ...entry.key]);
const writer = new ByteWriter();

describe('a stored value', () => {
  test('of a short key comes back', () => {
    encodeShort(nodeKey, placeOf(entry), writer);
    expect(decodeShort(wholeOf(nodeKey), wholeOf(writer.copy()))).toEqual(plain(entry));
  });

  test('of long keys comes back, one or several', () => {
    const entries = [entry, { ...entry, key: Buffer.alloc(600, 'x'), image: Buffer.alloc(0) }];
    encodeLong(nodeKey, entries, writer);
    expect(decodeLong(wholeOf(nodeKey), wholeOf(writer.copy()))).toEqual(entries.map(plain));
  });

  test('[F13] any flipped bit of it, or of its key, breaks the seal', () => {
    encodeShort(nodeKey, placeOf(entry), writer);
    const value = writer.copy();
    for (let bit = 0; bit < value.length * 8; bit += 1)
      expect(() => decodeShort(wholeOf(nodeKey), wholeOf(flipped(value, bit)))).toThrow(Damaged);
    for (let bit = 0; bit < nodeKey.length * 8; bit += 1)
      expect(() => decodeShort(wholeOf(flipped(nodeKey, bit)), wholeOf(value))).toThrow(Damaged);
    for (let length = 0; length < value.length; length += 1)
      expect(() => decodeShort(wholeOf(nodeKey), wholeOf(value.subarray(0, length)))).toThrow(Damaged);
  });

  test('[R2] a checkpoint record of another format is told from a damaged one', () => {
    const record = encodeCheckpointRecord({ checkpoint: undefined, clean: false, sharedHashes: 4 });
    expect(decodeCheckpointRecord(record)).toEqual({ checkpoint: undefined, clean: false, sharedHashes: 4 });
    expect(reasonOf(() => decodeCheckpointRecord(flipped(record, 0)))).toBe('checksum');
    writer.clear();
    writer.u8(77);
    seal(checkpointKey, writer);
    expect(reasonOf(() => decodeCheckpointRecord(writer.copy()))).toBe('format');
    writer.clear();
    seal(checkpointKey, writer);
    expect(reasonOf(() => decodeCheckpointRecord(writer.copy()))).toBe('format');
  });
});

function plain(of: typeof entry): unknown {
  return { ...of, key: new Uint8Array(of.key), image: new Uint8Array(of.image) };
}

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = new Uint8Array(bytes);
  copy[bit >> 3]! ^= 1 << (bit & 7);
  return copy;
}

function reasonOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof Damaged) return error.reason;
    throw error;
  }
  return 'sound';
}
