import { ByteWriter } from '@flatline/base';
import { StoredGroup } from '@flatline/ports';
import { describe, expect, test } from '@jest/globals';
import { checkpointKey, decodeCheckpoint, encodeCheckpoint } from './checkpoint-record.ts';
import { Damaged } from './lmdb-page.ts';
import { RowEncoder, RowKey, RowReader, seal, viewOf } from './stored-row.ts';
import { placeOf } from './testing/workload.ts';

const row = {
  slot: 0x0102_0304,
  sequence: 2 ** 46,
  key: Buffer.from('key'),
  image: Buffer.from('image'),
  changelogOffset: 2 ** 45,
};
const nodeKey = new RowKey();
nodeKey.slot = row.slot;
const value = new RowEncoder().encode(nodeKey, placeOf(row));
const KEY_BYTES = nodeKey.bytes.length;
const BEFORE = 2;

/** A node among other bytes, as a page holds it. */
function nodeOf(nodeValue: Uint8Array, key: Uint8Array = nodeKey.bytes): Uint8Array {
  return Uint8Array.from([0xaa, 0xaa, ...key, ...nodeValue, ...Array.from({ length: 9 }, () => 0xff)]);
}

/** The row in `bytes`, from BEFORE on. */
function groupOver(bytes: Uint8Array, valueLength: number, keyLength = KEY_BYTES): StoredGroup {
  const group = new StoredGroup();
  const reader = new RowReader(bytes, viewOf(bytes));
  reader.begin(group);
  reader.add(group, BEFORE, keyLength, valueLength);
  return group;
}

/** Finding about a row whose seal is right, with these bytes before the seal. */
function sealed(content: readonly number[], key: Uint8Array = nodeKey.bytes): string {
  const writer = new ByteWriter();
  writer.raw(Uint8Array.from(content));
  seal(viewOf(key), writer);
  return reasonOf(() => groupOver(nodeOf(writer.peek(), key), writer.length, key.length));
}

describe('a stored row', () => {
  test('comes back', () => {
    const group = groupOver(nodeOf(value), value.length);
    expect([group.count, group.rowAt(0)]).toEqual([
      1,
      { ...row, key: new Uint8Array(row.key), image: new Uint8Array(row.image) },
    ]);
  });

  test('[F13] any flipped bit of it, or of its node key, breaks the seal', () => {
    const node = nodeOf(value);
    for (let bit = BEFORE * 8; bit < (BEFORE + KEY_BYTES + value.length) * 8; bit += 1)
      expect(reasonOf(() => groupOver(flipped(node, bit), value.length))).toBe('checksum');
    for (let length = 0; length < value.length; length += 1)
      expect(reasonOf(() => groupOver(node, length))).toBe('checksum');
  });

  test('[R2] one whose seal holds, and that makes no sense, is of another format', () => {
    const most = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f];
    const beyond = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x10];
    expect(sealed([5, 6, 0])).toBe('sound');
    expect(sealed([5, 6, 1, 0x6b])).toBe('sound');
    expect(sealed([...most, ...most, 1, 0x6b, 7])).toBe('sound');
    expect(sealed([])).toBe('format');
    expect(sealed([5, 6])).toBe('format');
    expect(sealed([5, 6, 1])).toBe('format');
    expect(sealed([5, 6, ...most])).toBe('format');
    expect(sealed([0x80, 0x80])).toBe('format');
    expect(sealed([...beyond, 6, 0])).toBe('format');
    expect(sealed([5, ...beyond, 0])).toBe('format');
    expect(sealed([5, 6, 0], Uint8Array.of(1, 2, 3, 4))).toBe('format');
  });
});

describe('a checkpoint record', () => {
  const checkpoint = {
    logId: 'log',
    changelogPosition: 2 ** 40,
    commitHeader: new Uint8Array([0, 255]),
    liveEntries: 3,
    digest: -7,
  };

  test('comes back', () => {
    expect(decodeCheckpoint(encodeCheckpoint(checkpoint))).toEqual(checkpoint);
  });

  test('[R2] of another format is told from a damaged one', () => {
    const record = encodeCheckpoint(checkpoint);
    expect(reasonOf(() => decodeCheckpoint(flipped(record, 0)))).toBe('checksum');
    expect(reasonOf(() => decodeCheckpoint(sealedRecord([1, ...record.subarray(1, -4)])))).toBe('format');
    expect(reasonOf(() => decodeCheckpoint(sealedRecord([2])))).toBe('format');
    expect(reasonOf(() => decodeCheckpoint(sealedRecord([])))).toBe('format');
  });
});

function sealedRecord(content: readonly number[]): Uint8Array {
  const writer = new ByteWriter();
  writer.raw(Uint8Array.from(content));
  seal(viewOf(checkpointKey), writer);
  return writer.copy();
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
