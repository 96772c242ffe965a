// The contract of the StateStore port, on every adapter.
import { AssertionError } from '@flatline/base';
import type { StateStores, StoreCheckpoint } from '@flatline/ports';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LmdbStores } from './lmdb-stores.ts';
import { MemoryStores } from './memory-store.fixture.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';
import { entriesOf, Model, placeOf, valueOf, workloadStep } from './testing/workload.ts';

const checkpoint: StoreCheckpoint = {
  logId: '0f3a',
  changelogPosition: 2 ** 40,
  commitHeader: Buffer.from([0, 255, 7]),
  liveEntries: 3,
  digest: -123_456_789,
};

const bytes = (text: string): Uint8Array => Buffer.from(text);
const put = (key: Uint8Array, image: string, changelogOffset = 1) => ({ key, image: bytes(image), changelogOffset });
const writePuts = (...puts: ReturnType<typeof put>[]) => ({ puts: puts.map(placeOf), removals: [] });

describe.each(['LmdbStores', 'MemoryStores'])('%s', (adapter) => {
  const directory = { path: '', remove: (): void => undefined };
  let stores: StateStores;

  beforeEach(() => {
    Object.assign(directory, temporaryDirectory());
    stores = openStores();
  });
  afterEach(async () => {
    if (stores instanceof LmdbStores) await stores.close();
    directory.remove();
  });
  const openStores = (): StateStores =>
    adapter === 'MemoryStores'
      ? new MemoryStores()
      : LmdbStores.open({ stateDir: directory.path, application: 'app', pipeline: 'visits' });

  test('an unwritten store is empty and has no state', async () => {
    const { store, dropped } = await stores.open(0);
    expect(dropped).toBeUndefined();
    expect(store.state()).toBeUndefined();
    expect(store.count()).toBe(0);
    expect([...store.scan()]).toEqual([]);
  });

  test('[R1] entries and checkpoint come back after closing, byte for byte', async () => {
    const { store } = await stores.open(0);
    const entries = [put(bytes(''), 'empty key'), put(bytes('a'), '', 0), put(bytes('b'), 'x', 2 ** 50)];
    store.write(writePuts(...entries), checkpoint);
    await store.close();
    const again = await stores.open(0);
    expect(again.dropped).toBeUndefined();
    expect(again.store.state()).toEqual({ checkpoint, clean: true });
    expect([...entriesOf(again.store).values()].sort()).toEqual(entries.map(valueOf).sort());
    expect(again.store.count()).toBe(3);
  });

  test('keys of 0, 1, 511, 512, 4096 and 65536 bytes stay apart, also with equal beginnings', async () => {
    const { store } = await stores.open(0);
    const keys = [0, 1, 510, 511, 512, 513, 1978, 4096, 65_536].map((length) => Buffer.alloc(length, 'k'));
    const twins = keys.filter((key) => key.length > 1).map((key) => Buffer.concat([key.subarray(1), bytes('z')]));
    const entries = [...keys, ...twins].map((key, index) => put(key, `image ${index}`, index));
    store.write(writePuts(...entries), checkpoint);
    await store.close();
    const again = (await stores.open(0)).store;
    expect(again.count()).toBe(entries.length);
    expect([...entriesOf(again).values()].sort()).toEqual(entries.map(valueOf).sort());
    again.write({ puts: [], removals: keys }, checkpoint);
    expect([...entriesOf(again).values()].sort()).toEqual(entries.slice(keys.length).map(valueOf).sort());
    expect(again.count()).toBe(twins.length);
  });

  test('[I3] keys are any bytes', async () => {
    const { store } = await stores.open(0);
    const keys = [[0], [0, 0], [255, 255], [0, 1, 2], [0xc3, 0x28]].map((key) => Buffer.from(key));
    store.write(
      writePuts(...keys.map((key) => put(key, key.toString('hex'))), put(bytes('../../../etc/passwd'), 'path')),
      checkpoint,
    );
    expect(store.count()).toBe(keys.length + 1);
    expect(entriesOf(store).get(Buffer.from('../../../etc/passwd').toString('hex'))).toBeDefined();
  });

  test('removals come before puts, and removing what is not there is nothing', async () => {
    const { store } = await stores.open(0);
    store.write(writePuts(put(bytes('a'), 'old'), put(bytes('b'), 'b')), checkpoint);
    store.write(
      { puts: [placeOf(put(bytes('a'), 'new', 9))], removals: [bytes('a'), bytes('b'), bytes('c')] },
      checkpoint,
    );
    expect([...entriesOf(store).values()]).toEqual([valueOf(put(bytes('a'), 'new', 9))]);
    expect(store.count()).toBe(1);
  });

  test('a flush in slices is not clean until its checkpoint comes', async () => {
    const { store } = await stores.open(0);
    store.write(writePuts(put(bytes('a'), '1')), checkpoint);
    store.write(writePuts(put(bytes('b'), '2')), undefined);
    expect(store.state()).toEqual({ checkpoint, clean: false });
    await store.close();
    const again = (await stores.open(0)).store;
    expect(again.state()).toEqual({ checkpoint, clean: false });
    const next = { ...checkpoint, changelogPosition: 2 ** 41 };
    again.write({ puts: [], removals: [] }, next);
    expect(again.state()).toEqual({ checkpoint: next, clean: true });
  });

  test('entries without any checkpoint are gone after reopening: nothing stands for them', async () => {
    const { store } = await stores.open(0);
    store.write(writePuts(put(bytes('a'), '1')), undefined);
    expect(store.state()).toBeUndefined();
    expect(store.count()).toBe(1);
    await store.close();
    const { store: again, dropped } = await stores.open(0);
    expect(dropped).toBeUndefined();
    expect(again.count()).toBe(0);
    expect([...again.scan()]).toEqual([]);
  });

  test('the store keeps nothing of the arrays it was given', async () => {
    const { store } = await stores.open(0);
    const entry = { key: Buffer.from('key'), image: Buffer.from('image'), changelogOffset: 1 };
    const header = Buffer.from('header');
    store.write({ puts: [placeOf(entry)], removals: [] }, { ...checkpoint, commitHeader: header });
    entry.key.fill(0);
    entry.image.fill(0);
    header.fill(0);
    expect([...entriesOf(store)]).toEqual([[hexOf('key'), `1 ${hexOf('image')}`]]);
    await store.close();
    expect((await stores.open(0)).store.state()?.checkpoint.commitHeader).toEqual(Buffer.from('header'));
  });

  test('wiping leaves an empty store that can be written', async () => {
    const { store } = await stores.open(0);
    store.write(writePuts(put(bytes('a'), '1')), checkpoint);
    await store.wipe();
    expect(store.state()).toBeUndefined();
    expect(store.count()).toBe(0);
    expect([...store.scan()]).toEqual([]);
    store.write(writePuts(put(bytes('b'), '2')), checkpoint);
    expect([...entriesOf(store).values()]).toEqual([valueOf(put(bytes('b'), '2'))]);
  });

  test('partitions are apart, and local checkpoints tell of open and of closed stores', async () => {
    const positions = [7, 0, 11];
    for (const partition of positions) {
      const { store } = await stores.open(partition);
      expect(store.count()).toBe(0);
      store.write(writePuts(put(bytes('k'), String(partition))), { ...checkpoint, changelogPosition: partition * 10 });
      if (partition === 0) await store.close();
    }
    await stores.open(3);
    const found = await stores.localCheckpoints();
    expect(found.map(({ partition, changelogPosition }) => [partition, changelogPosition])).toEqual([
      [0, 0],
      [7, 70],
      [11, 110],
    ]);
    for (const { writtenAt } of found) expect(writtenAt).toBeGreaterThan(0);
  });

  test('[F13] a store is not opened twice, but again after closing', async () => {
    const { store } = await stores.open(0);
    await expect(async () => stores.open(0)).rejects.toThrow(AssertionError);
    await store.close();
    await store.close();
    await expect(stores.open(0)).resolves.toBeDefined();
  });

  test('a scan does not outlive a write, and a closed store is neither read nor written', async () => {
    const { store } = await stores.open(0);
    store.write(writePuts(put(bytes('a'), '1'), put(bytes('b'), '2')), checkpoint);
    const scan = store.scan()[Symbol.iterator]();
    scan.next();
    store.write(writePuts(put(bytes('c'), '3')), checkpoint);
    expect(() => scan.next()).toThrow(AssertionError);
    await store.close();
    expect(() => [...store.scan()]).toThrow(AssertionError);
    expect(() => {
      store.write(writePuts(), checkpoint);
    }).toThrow(AssertionError);
  });

  // A failure prints seed and path: give both to fc.assert to run it again.
  test('[R1] any series of writes, reopenings and wipes leaves what the naive store has', async () => {
    const action = fc.constantFrom('write', 'write', 'write', 'write', 'reopen', 'wipe');
    await fc.assert(
      fc.asyncProperty(fc.nat(10_000), fc.array(action, { maxLength: 12 }), async (seed, actions) => {
        let model = new Model();
        let { store } = await stores.open(1);
        await store.wipe();
        for (const [step, next] of actions.entries()) {
          if (next === 'write') {
            const written = workloadStep(seed, step);
            store.write(written.changes, written.checkpoint);
            model.apply(written);
          } else {
            if (next === 'wipe') await store.wipe();
            await store.close();
            ({ store } = await stores.open(1));
            if (next === 'wipe' || model.state === undefined) model = new Model();
          }
          expect(store.state()).toEqual(model.state);
          expect(store.count()).toBe(model.entries.size);
          expect(entriesOf(store)).toEqual(model.entries);
        }
        await store.close();
      }),
      { numRuns: 25 },
    );
  }, 120_000);
});

function hexOf(text: string): string {
  return Buffer.from(text).toString('hex');
}
