import { Fatal, Misconfigured, StateInUse } from '@flatline/base';
import { StoreOccupied } from '@flatline/ports';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LmdbStores } from './lmdb-stores.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';

const checkpoint = { logId: 'log', changelogPosition: 5, commitHeader: Buffer.alloc(0), liveEntries: 0, digest: 0 };

describe('LmdbStores', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(() => {
    directory.remove();
  });
  const open = (application = 'app', pipeline = 'visits', bootId?: string) =>
    LmdbStores.open({ stateDir: directory.path, application, pipeline, ...(bootId === undefined ? {} : { bootId }) });

  test('[I3] names cannot leave the state directory', () => {
    for (const name of ['..', '.', '', 'a/b', '../x', 'a\\b', 'a\0b', 'é', '.hidden', 'C:']) {
      expect(() => open(name, 'visits')).toThrow(Fatal);
      expect(() => open('app', name)).toThrow(Fatal);
    }
    expect(readdirSync(directory.path)).toEqual([]);
  });

  test('pipelines are apart, each partition in a directory of its own', async () => {
    const stores = [open('shop.eu', 'visits'), open('shop.eu', 'carts')];
    for (const pipeline of stores) {
      const { store } = await pipeline.open(12);
      store.write({ puts: [], removals: [] }, checkpoint);
      await pipeline.close();
    }
    expect(readdirSync(directory.path).sort()).toEqual(['shop.eu.carts', 'shop.eu.visits']);
    expect(readdirSync(join(directory.path, 'shop.eu.visits')).sort()).toEqual(['12', 'holder', 'lock']);
  });

  test('[F13] one directory is not taken twice, and is free again after closing', async () => {
    const stores = open();
    expect(() => open()).toThrow(StateInUse);
    expect(() => open()).toThrow(new RegExp(`${directory.path}.*process ${process.pid} .*stateDir`));
    await stores.close();
    await open().close();
  });

  test('[F13] LO1: workers share a directory: one at a time has a store, and the next finds what it wrote', async () => {
    const place = { stateDir: directory.path, application: 'app', pipeline: 'visits' };
    const supervisor = LmdbStores.hold(place);
    expect(() => open()).toThrow(StateInUse);
    const [first, second] = [1, 2].map((worker) => LmdbStores.open({ ...place, worker })) as [LmdbStores, LmdbStores];
    const { store } = await first.open(0);
    store.write({ puts: [], removals: [] }, checkpoint);
    const held = second.open(0, { waits: false });
    await expect(held).rejects.toThrow(StoreOccupied);
    await expect(held).rejects.toThrow(new RegExp(`^process ${process.pid} on .*, worker 1 has the local store open$`));
    expect(await first.localCheckpoints()).toEqual([expect.not.objectContaining({ isSiblings: true })]);
    expect(await second.localCheckpoints()).toMatchObject([{ changelogPosition: 5, isSiblings: true }]);
    const opening = second.open(0);
    await store.close();
    const moved = await opening;
    expect(moved).toMatchObject({ dropped: undefined });
    expect(moved.store.state()?.checkpoint).toMatchObject({ changelogPosition: 5 });
    expect(await first.localCheckpoints()).toMatchObject([{ isSiblings: true }]);
    await Promise.all([first.close(), second.close()]);
    supervisor.release();
    // The only process gets the stores that workers have left, whatever its name.
    const alone = open();
    expect(await alone.localCheckpoints()).toEqual([expect.not.objectContaining({ isSiblings: true })]);
    await alone.close();
  });

  test('[R2] a store that cannot be trusted has no local checkpoint', async () => {
    const first = open('app', 'visits', 'boot 1');
    for (const partition of [0, 1, 2]) {
      const { store } = await first.open(partition);
      store.write({ puts: [], removals: [] }, checkpoint);
    }
    await first.close();
    const path = join(directory.path, 'app.visits');
    writeFileSync(join(path, '1', 'state.mdb'), Buffer.alloc(50_000, 1));
    writeFileSync(join(path, '2', 'unsynced'), 'boot 1');
    mkdirSync(join(path, 'not-a-partition'));
    mkdirSync(join(path, '007'));
    const second = open('app', 'visits', 'boot 2');
    utimesSync(join(path, '0', 'state.mdb'), 0, 1_700_000_000.5);
    expect(await second.localCheckpoints()).toEqual([
      { partition: 0, changelogPosition: 5, writtenAt: 1_700_000_000_500 },
    ]);
    expect((await second.open(1)).dropped).toBe('unreadable');
    expect((await second.open(2)).dropped).toBe('unclean-after-reboot');
    await second.close();
  });

  test('[R2][F25] a store that cannot be looked at hides no other one, and does not keep them from being closed', async () => {
    const stores = open('app', 'visits', 'boot');
    for (const partition of [0, 1, 2]) {
      const { store } = await stores.open(partition);
      store.write({ puts: [], removals: [] }, checkpoint);
    }
    const broken = join(directory.path, 'app.visits', '1', 'state.mdb');
    rmSync(broken);
    mkdirSync(broken);
    await expect(stores.close()).rejects.toThrow(/EISDIR/);
    expect(existsSync(join(directory.path, 'app.visits', '2', 'unsynced'))).toBe(false);
    mkdirSync(join(directory.path, 'app.visits', '0', 'unsynced'));
    const again = open('app', 'visits', 'boot');
    expect((await again.localCheckpoints()).map(({ partition }) => partition)).toEqual([2]);
    await expect(again.open(1)).rejects.toBeInstanceOf(Fatal);
    rmSync(broken, { recursive: true });
    expect((await again.open(1)).dropped).toBeUndefined();
    await again.close();
  });

  test('a file system that takes no directories is refused, and not waited for', () => {
    const stateDir = '/proc/flatline-test/state';
    const opening = (): unknown => LmdbStores.open({ stateDir, application: 'app', pipeline: 'visits' });
    expect(opening).toThrow(Misconfigured);
    expect(opening).toThrow(/stateDir/);
  });

  test('a state directory that cannot be one is named, with the setting', () => {
    writeFileSync(join(directory.path, 'file'), '');
    const stateDir = join(directory.path, 'file');
    expect(() => LmdbStores.open({ stateDir, application: 'app', pipeline: 'visits' })).toThrow(Misconfigured);
    expect(() => LmdbStores.open({ stateDir, application: 'app', pipeline: 'visits' })).toThrow(/file.*stateDir/);
  });
});
