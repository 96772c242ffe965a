import { Corrupt, Fatal } from '@flatline/base';
import { rowsIn } from '@flatline/ports';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LmdbStore } from './lmdb-store.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';
import { placeOf, rowsOf } from './testing/workload.ts';

const checkpoint = { logId: 'log', changelogPosition: 1, commitHeader: Buffer.alloc(0), liveEntries: 1, digest: 0 };
const image = Buffer.from('image');
const rowOf = (slot: number, key: Uint8Array = image) => placeOf({ slot, sequence: 1, key, image, changelogOffset: 1 });

describe('LmdbStore', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(() => {
    directory.remove();
  });
  const place = (bootId: string | undefined = 'boot') => ({ directory: directory.path, bootId });
  const mark = (): string => join(directory.path, 'unsynced');

  test('[R2] the mark lies there from the first write until everything is synced', async () => {
    const { store } = LmdbStore.open(place());
    expect(existsSync(mark())).toBe(false);
    store.write({ puts: [rowOf(0)], removals: [] }, checkpoint);
    expect(existsSync(mark())).toBe(true);
    await store.close();
    expect(existsSync(mark())).toBe(false);
    const again = LmdbStore.open(place()).store;
    expect(rowsOf(again).size).toBe(1);
    await again.close();
    expect(existsSync(mark())).toBe(false);
  });

  test('[R2] where the boot has no name, only a clean store is trusted', async () => {
    const nameless = { directory: directory.path, bootId: undefined };
    const { store } = LmdbStore.open(nameless);
    store.write({ puts: [rowOf(0)], removals: [] }, checkpoint);
    await store.close();
    const clean = LmdbStore.open(nameless);
    expect(clean.dropped).toBeUndefined();
    await clean.store.close();
    writeFileSync(mark(), 'unknown boot');
    expect(LmdbStore.open(nameless).dropped).toBe('unclean-after-reboot');
  });

  test('a store written without being scanned is proven first', async () => {
    const { store } = LmdbStore.open(place());
    const puts = Array.from({ length: 500 }, (_, slot) => rowOf(slot, Buffer.from(`key ${slot}`)));
    store.write({ puts, removals: [] }, checkpoint);
    await store.close();
    const again = LmdbStore.open(place()).store;
    again.write({ puts: [rowOf(500)], removals: [] }, checkpoint);
    expect(again.count()).toBe(501);
    await again.close();
  });

  test('a wiped store leaves nothing on the disk, and goes on after Corrupt', async () => {
    const { store } = LmdbStore.open(place());
    store.write({ puts: [rowOf(0)], removals: [] }, checkpoint);
    await store.close();
    const path = join(directory.path, 'state.mdb');
    const bytes = readFileSync(path);
    for (let at = bytes.indexOf('image'); at >= 0; at = bytes.indexOf('image', at + 1)) bytes.write('imagf', at);
    writeFileSync(path, bytes);
    const { store: again, dropped } = LmdbStore.open(place());
    expect(dropped).toBeUndefined();
    expect(() => rowsOf(again)).toThrow(Corrupt);
    expect(() => {
      again.write({ puts: [], removals: [] }, checkpoint);
    }).toThrow(/state\.mdb/);
    await again.wipe();
    expect(readdirSync(directory.path)).toEqual([]);
    again.write({ puts: [rowOf(0)], removals: [] }, checkpoint);
    expect(rowsOf(again).size).toBe(1);
    await again.close();
  });

  test('[R2][F25] one that cannot be synced is dropped: nothing tells what of it is on the disk', async () => {
    let closed = 0;
    const { store } = LmdbStore.open({ ...place(), onClose: () => (closed += 1) });
    store.write({ puts: [rowOf(0)], removals: [] }, checkpoint);
    putInTheWayOf(join(directory.path, 'state.mdb'), 'link');
    await expect(store.close()).rejects.toThrow(/state directory .*EISDIR/);
    expect(closed).toBe(1);
    expect(readdirSync(directory.path)).toEqual(['elsewhere']);
    const again = LmdbStore.open(place());
    expect(again.dropped).toBeUndefined();
    expect(again.store.state()).toBeUndefined();
    await again.store.close();
  });

  test('[R2][F25] one that can neither be synced nor dropped is closed all the same, and keeps its mark', async () => {
    let closed = 0;
    const { store } = LmdbStore.open({ ...place(), onClose: () => (closed += 1) });
    store.write({ puts: [rowOf(0)], removals: [] }, checkpoint);
    putInTheWayOf(join(directory.path, 'state.mdb'), 'directory');
    await expect(store.close()).rejects.toThrow(/state directory .*EISDIR/);
    expect(closed).toBe(1);
    expect(existsSync(mark())).toBe(true);
  });

  test('[F25] one that cannot be wiped says so in its own terms, and is closed as any other', async () => {
    const { store } = LmdbStore.open(place());
    store.write({ puts: [rowOf(0)], removals: [] }, checkpoint);
    putInTheWayOf(join(directory.path, 'state.mdb'), 'directory');
    await expect(store.wipe()).rejects.toBeInstanceOf(Fatal);
    await expect(store.close()).rejects.toBeInstanceOf(Fatal);
  });

  test('the map grows with the store', async () => {
    const { store } = LmdbStore.open(place());
    const big = Buffer.alloc(8_000_000, 1);
    for (let slot = 0; slot < 40; slot += 1) {
      const row = { slot, sequence: 1, key: Buffer.from([slot]), image: big, changelogOffset: 1 };
      store.write({ puts: [placeOf(row)], removals: [] }, checkpoint);
    }
    expect(store.count()).toBe(40);
    let bytes = 0;
    for (const row of rowsIn(store.scan())) bytes += row.image.length;
    expect(bytes).toBe(320_000_000);
    await store.wipe();
    await store.close();
  }, 120_000);
});

/** A directory, or a link to one, where a file was: every call on it fails, also for root. */
function putInTheWayOf(path: string, how: 'directory' | 'link'): void {
  rmSync(path);
  if (how === 'directory') mkdirSync(path);
  else {
    const elsewhere = join(dirname(path), 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, path);
  }
}
