// [F13] Each check of the walk, by the one change of a sound file that it is there for.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LmdbFile, type LmdbHeader } from './lmdb-file.ts';
import { Damaged, nodeAt, nodeChild, nodeKeyLength, nodeKeyStart } from './lmdb-page.ts';
import { LmdbStore } from './lmdb-store.ts';
import { rowsIn } from '@flatline/ports';
import { scanRows } from './store-scan.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';
import { placeOf } from './testing/workload.ts';

const directory = temporaryDirectory();
const path = join(directory.path, 'state.mdb');
const ROW_COUNT = 1000;
/** Rows and the checkpoint. */
const RECORD_COUNT = ROW_COUNT + 1;
let sound: Buffer;
let header: LmdbHeader;

beforeAll(async () => {
  const { store } = LmdbStore.open({ directory: directory.path, bootId: 'boot' });
  const checkpoint = { logId: 'log', changelogPosition: 1, commitHeader: Buffer.alloc(0), liveEntries: 1, digest: 0 };
  const puts = Array.from({ length: ROW_COUNT }, (_, slot) =>
    placeOf({ slot, sequence: 1, key: Buffer.from(`key ${slot}`), image: Buffer.alloc(60, slot), changelogOffset: 1 }),
  );
  // Twice: the second transaction leaves pages to the free list.
  for (let round = 0; round < 2; round += 1) store.write({ puts, removals: [] }, checkpoint);
  await store.close();
  sound = readFileSync(path);
  const file = new LmdbFile(path);
  header = file.header();
  file.close();
});
afterAll(directory.remove);

/** Rows found after `change`, or what was found damaged. */
function scanAfter(change: (bytes: Buffer) => void): number | string {
  const bytes = Buffer.from(sound);
  change(bytes);
  writeFileSync(path, bytes);
  const file = new LmdbFile(path);
  try {
    return [...rowsIn(scanRows(file, file.header()))].length;
  } catch (error) {
    if (error instanceof Damaged) return error.message;
    throw error;
  } finally {
    file.close();
  }
}

const pageOf = (bytes: Buffer, number: number): Buffer =>
  bytes.subarray(number * header.pageSize, (number + 1) * header.pageSize);
const root = (bytes: Buffer): Buffer => pageOf(bytes, header.main.root!);
const leaf = (bytes: Buffer, index: number): Buffer =>
  pageOf(bytes, nodeChild(root(bytes), nodeAt(root(bytes), index)));
/** In both headers. */
const setHeader = (bytes: Buffer, at: number, value: number): void => {
  for (const start of [0, header.pageSize]) bytes.writeBigUInt64LE(BigInt(value), start + at);
};

/** Where a header keeps these. */
const LAST_PAGE_AT = 144;
const TRANSACTION_AT = 152;
const MAIN_ENTRIES_AT = 128;

describe('[F13] the walk finds', () => {
  test('nothing in a sound file, which has branches and free pages', () => {
    expect(scanAfter(() => undefined)).toBe(ROW_COUNT);
    expect(header.main.depth).toBe(2);
    expect(header.free.entries).toBeGreaterThan(0);
  });

  test.each<[string, RegExp, (bytes: Buffer) => void]>([
    [
      'a separator before the keys it follows',
      /beyond its separator/,
      (bytes) => void (root(bytes)[keyAt(root(bytes), 2)] = 0),
    ],
    [
      'a separator behind the keys it precedes',
      /before its separator/,
      (bytes) => void (root(bytes)[lastOfKey(root(bytes), 2)]! += 5),
    ],
    [
      'a child in the place of another',
      /separator/,
      (bytes) => {
        const [a, b] = [nodeAt(root(bytes), 1), nodeAt(root(bytes), 2)];
        const child = root(bytes).readUInt32LE(a);
        root(bytes).writeUInt32LE(root(bytes).readUInt32LE(b), a);
        root(bytes).writeUInt32LE(child, b);
      },
    ],
    [
      'a child met twice',
      /in use twice/,
      (bytes) => root(bytes).writeUInt32LE(nodeChild(root(bytes), nodeAt(root(bytes), 1)), nodeAt(root(bytes), 2)),
    ],
    [
      'two keys of a page in the wrong order',
      /out of order in a page/,
      (bytes) => {
        const page = leaf(bytes, 3);
        const pointer = page.readUInt16LE(24);
        page.writeUInt16LE(page.readUInt16LE(26), 24);
        page.writeUInt16LE(pointer, 26);
      },
    ],
    ['a page of another number', /sound header/, (bytes) => leaf(bytes, 1).writeUInt32LE(3, 0)],
    ['a page of a later transaction', /sound header/, (bytes) => leaf(bytes, 1).writeUInt32LE(999, 8)],
    ['a page of another kind', /sound header/, (bytes) => leaf(bytes, 1).writeUInt16LE(4, 18)],
    ['bounds beyond the page', /sound header/, (bytes) => leaf(bytes, 1).writeUInt16LE(60_000, 22)],
    ['a pointer beyond the page', /outside the page/, (bytes) => leaf(bytes, 1).writeUInt16LE(60_000, 24)],
    ['a pointer among the pointers', /outside the page/, (bytes) => leaf(bytes, 1).writeUInt16LE(4, 24)],
    [
      'a key longer than its page',
      /outside the page/,
      (bytes) => leaf(bytes, 1).writeUInt16LE(5000, nodeAt(leaf(bytes, 1), 0) + 6),
    ],
    [
      'a value longer than its page',
      /outside the page/,
      (bytes) => leaf(bytes, 1).writeUInt16LE(5000, nodeAt(leaf(bytes, 1), 0)),
    ],
    [
      'a value in pages there are not',
      /a value of/,
      (bytes) => {
        const page = leaf(bytes, 1);
        const node = nodeAt(page, 0);
        page.writeUInt16LE(1, node + 4);
        for (const [i, word] of [2n ** 40n, 1n, 1n].entries())
          page.writeBigUInt64LE(word, nodeKeyStart(node) + nodeKeyLength(page, node) + 8 * i);
      },
    ],
    [
      'more entries than there are',
      /where the header says/,
      (bytes) => {
        setHeader(bytes, MAIN_ENTRIES_AT, RECORD_COUNT + 1);
      },
    ],
    [
      'pages after the last',
      /^page \d+ of 2/,
      (bytes) => {
        setHeader(bytes, LAST_PAGE_AT, 2);
      },
    ],
    [
      'a last page far behind the end',
      /^last page/,
      (bytes) => {
        setHeader(bytes, LAST_PAGE_AT, 2 ** 40);
      },
    ],
    [
      'entries without a tree',
      /0 levels deep/,
      (bytes) => {
        setHeader(bytes, MAIN_ENTRIES_AT - 32, 0);
      },
    ],
    [
      'two headers of one turn',
      /headers of transactions/,
      (bytes) => {
        setHeader(bytes, TRANSACTION_AT, 4);
      },
    ],
    [
      'a header of another turn',
      /headers of transactions/,
      (bytes) => {
        bytes.writeUInt8(127, TRANSACTION_AT);
      },
    ],
    [
      'a word beyond 2^53',
      /beyond 2\^53/,
      (bytes) => {
        setHeader(bytes, LAST_PAGE_AT, 2 ** 60);
      },
    ],
    [
      'a page that is free and in use',
      /both free and in use/,
      (bytes) => freeRecord(bytes).writeBigUInt64LE(BigInt(header.main.root!), 8),
    ],
    ['a record of the free list that is cut off', /cut off/, (bytes) => freeRecord(bytes).writeUInt32LE(60_000, 0)],
    [
      'a free stretch beyond the file',
      /free list|free/,
      (bytes) => {
        freeRecord(bytes).writeBigInt64LE(-5000n, 8);
      },
    ],
  ])('%s', (_, message, change) => {
    expect(scanAfter(change)).toMatch(message);
  });
});

function keyAt(page: Buffer, index: number): number {
  return nodeKeyStart(nodeAt(page, index));
}

function lastOfKey(page: Buffer, index: number): number {
  return keyAt(page, index) + nodeKeyLength(page, nodeAt(page, index)) - 1;
}

/** The first record of the free list: a count, then pages. */
function freeRecord(bytes: Buffer): Buffer {
  const page = pageOf(bytes, header.free.root!);
  const node = nodeAt(page, 0);
  return page.subarray(nodeKeyStart(node) + nodeKeyLength(page, node));
}
