import { ByteWriter } from '@flatline/base';
import { StoredGroup } from '@flatline/ports';
import { describe, expect, test } from '@jest/globals';
import { checkpointKey, decodeCheckpointRecord, encodeCheckpointRecord } from './checkpoint-record.ts';
import { Damaged } from './lmdb-page.ts';
import { placeOf } from './testing/workload.ts';
import { addShort, decodeLong, decodeShort, encodeLong, encodeShort, seal, wholeOf } from './stored-entry.ts';

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

  test('[F13] of a short key comes back in a group, and any flipped bit of it or of its key breaks the seal there, too', () => {
    encodeShort(nodeKey, placeOf(entry), writer);
    const value = writer.copy();
    const node = Buffer.concat([Buffer.from([0xaa, 0xaa]), nodeKey, value, Buffer.from([0xaa])]);
    const grouped = (bytes: Uint8Array, length: number): StoredGroup => {
      const group = new StoredGroup();
      group.bytes = bytes;
      addShort(group, new DataView(bytes.buffer, bytes.byteOffset), 2, nodeKey.length, length);
      return group;
    };
    const group = grouped(node, value.length);
    expect([group.count, group.imageAt(0)]).toEqual([1, plain(entry)]);
    for (let bit = 16; bit < (node.length - 1) * 8; bit += 1)
      expect(() => grouped(flipped(node, bit), value.length)).toThrow(Damaged);
    for (let length = 0; length < value.length; length += 1) expect(() => grouped(node, length)).toThrow(Damaged);
  });

  test('[R2] a value whose seal holds and that has no changelog offset is of another format', () => {
    const grouped = (value: readonly number[]): string => {
      writer.clear();
      for (const byte of value) writer.u8(byte);
      seal(nodeKey, writer);
      const bytes = Uint8Array.from([...nodeKey, ...writer.peek(), ...Array.from({ length: 9 }, () => 0xff)]);
      const group = new StoredGroup();
      group.bytes = bytes;
      return reasonOf(() => {
        addShort(group, new DataView(bytes.buffer), 0, nodeKey.length, writer.length);
      });
    };
    expect(grouped([5, 1, 2])).toBe('sound');
    expect(grouped([])).toBe('format');
    expect(grouped([0x80, 0x80])).toBe('format');
    expect(grouped([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f])).toBe('sound');
    expect(grouped([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x10])).toBe('format');
    expect(grouped(Array.from({ length: 9 }, () => 0xff))).toBe('format');
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
