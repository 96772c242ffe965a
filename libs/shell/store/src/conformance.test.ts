// The contract of the StateStore port, on every adapter: what the simulated cluster stores is held to what LMDB does.
import { AssertionError } from '@flatline/base';
import { Simulation } from '@flatline/cluster';
import type { StateStores, StoreChanges, StoreCheckpoint, StoredRow } from '@flatline/ports';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LmdbStores } from './lmdb-stores.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';
import { Model, placeOf, rowsOf, valueOf, workloadStep } from './testing/workload.ts';

const checkpoint: StoreCheckpoint = {
  logId: '0f3a',
  changelogPosition: 2 ** 40,
  commitHeader: Buffer.from([0, 255, 7]),
  liveEntries: 3,
  digest: -123_456_789,
};

const bytes = (text: string): Uint8Array => Buffer.from(text);
const row = (slot: number, text: string): StoredRow => ({
  slot,
  sequence: 1,
  key: bytes(`key ${text}`),
  image: bytes(text),
  changelogOffset: 1,
});
const puts = (...rows: StoredRow[]): StoreChanges => ({ puts: rows.map(placeOf), removals: [] });
const bySlot = (...rows: StoredRow[]): Map<number, string> => new Map(rows.map((each) => [each.slot, valueOf(each)]));

describe.each(['LmdbStores', 'SimulatedStores'])('%s', (adapter) => {
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
    adapter === 'SimulatedStores'
      ? new Simulation({ seed: 1 }).start('a').ports.stores
      : LmdbStores.open({ stateDir: directory.path, application: 'app', pipeline: 'visits' });

  test('an unwritten store is empty and has no state', async () => {
    const { store, dropped } = await stores.open(0);
    expect(dropped).toBeUndefined();
    expect(store.state()).toBeUndefined();
    expect(store.count()).toBe(0);
    expect([...store.scan()]).toEqual([]);
  });

  test('[R1] rows and checkpoint come back after closing, byte for byte', async () => {
    const { store } = await stores.open(0);
    const rows = [
      { ...row(0, 'key is empty'), key: bytes('') },
      { ...row(1, ''), sequence: 0, changelogOffset: 0 },
      { ...row(2, 'far on'), sequence: 2 ** 50, changelogOffset: 2 ** 51 },
    ];
    store.write(puts(...rows), checkpoint);
    await store.close();
    const again = await stores.open(0);
    expect(again.dropped).toBeUndefined();
    expect(again.store.state()).toEqual({ checkpoint });
    expect(rowsOf(again.store)).toEqual(bySlot(...rows));
    expect(again.store.count()).toBe(3);
  });

  test('keys of 0 to 65536 bytes stay apart by slot, also equal ones and those with equal beginnings', async () => {
    const { store } = await stores.open(0);
    const keys = [0, 1, 127, 128, 255, 256, 511, 1978, 2034, 4096, 65_536].map((length) => Buffer.alloc(length, 'k'));
    const rows = [...keys, ...keys].map((key, slot) => ({ ...row(slot, `image ${slot}`), key }));
    store.write(puts(...rows), checkpoint);
    await store.close();
    const again = (await stores.open(0)).store;
    expect(again.count()).toBe(rows.length);
    expect(rowsOf(again)).toEqual(bySlot(...rows));
    again.write({ puts: [], removals: [...keys.keys()] }, checkpoint);
    expect(rowsOf(again)).toEqual(bySlot(...rows.slice(keys.length)));
    expect(again.count()).toBe(keys.length);
  });

  test('images of any length come back', async () => {
    const { store } = await stores.open(0);
    const lengths = [0, 1, 2, 3, 4, 255, 256, 257, 1990, 2000, 2010, 2020, 2030, 4096, 100_000];
    const rows = lengths.map((length, slot) => ({ ...row(slot, ''), image: Buffer.alloc(length, slot + 1) }));
    store.write(puts(...rows), checkpoint);
    expect(rowsOf(store)).toEqual(bySlot(...rows));
    expect(store.count()).toBe(rows.length);
  });

  test('rows are scanned by ascending slot, whichever was written first', async () => {
    const { store } = await stores.open(0);
    const slots = [0, 1, 255, 256, 65_535, 65_536, 2 ** 24 - 1, 2 ** 24, 2 ** 31 - 1];
    const rows = slots.map((slot) => row(slot, String(slot)));
    store.write(puts(...rows.filter((_, index) => index % 2 === 1)), undefined);
    store.write(puts(...rows.filter((_, index) => index % 2 === 0)), checkpoint);
    expect([...rowsOf(store)]).toEqual([...bySlot(...rows)]);
  });

  test('[I3] keys are any bytes', async () => {
    const { store } = await stores.open(0);
    const keys = [[0], [0, 0], [255, 255], [0, 1, 2], [0xc3, 0x28]].map((key) => Buffer.from(key));
    const rows = [...keys, bytes('../../../etc/passwd')].map((key, slot) => ({ ...row(slot, 'image'), key }));
    store.write(puts(...rows), checkpoint);
    expect(rowsOf(store)).toEqual(bySlot(...rows));
  });

  test('a put replaces what its slot had, also of another key, and removing what is not there is nothing', async () => {
    const { store } = await stores.open(0);
    store.write(puts(row(1, 'a'), row(2, 'b'), row(3, 'c')), checkpoint);
    const other = { ...row(3, 'another key, and longer'), sequence: 9, changelogOffset: 8 };
    store.write({ puts: [placeOf(other)], removals: [0, 2, 4] }, checkpoint);
    expect(rowsOf(store)).toEqual(bySlot(row(1, 'a'), other));
    expect(store.count()).toBe(2);
  });

  test.each<[string, StoreChanges]>([
    ['two puts of one slot', puts(row(5, 'a'), row(5, 'b'))],
    ['puts that descend', puts(row(5, 'a'), row(4, 'b'))],
    ['removals that descend', { puts: [], removals: [5, 4] }],
    ['a slot both put and removed', { ...puts(row(3, 'a'), row(5, 'b')), removals: [1, 4, 5] }],
    ['a slot below zero', { puts: [], removals: [-1] }],
  ])('%s: refused, and nothing is written', async (_, changes) => {
    const { store } = await stores.open(0);
    store.write(puts(row(4, 'there')), checkpoint);
    expect(() => {
      store.write(changes, { ...checkpoint, changelogPosition: 1 });
    }).toThrow(AssertionError);
    expect(rowsOf(store)).toEqual(bySlot(row(4, 'there')));
    expect(store.state()).toEqual({ checkpoint });
  });

  test('between the slices of a flush the former checkpoint stands', async () => {
    const { store } = await stores.open(0);
    store.write(puts(row(1, 'a')), checkpoint);
    store.write(puts(row(2, 'b')), undefined);
    expect(store.state()).toEqual({ checkpoint });
    await store.close();
    const again = (await stores.open(0)).store;
    expect(again.state()).toEqual({ checkpoint });
    expect(rowsOf(again)).toEqual(bySlot(row(1, 'a'), row(2, 'b')));
    const next = { ...checkpoint, changelogPosition: 2 ** 41 };
    again.write({ puts: [], removals: [] }, next);
    expect(again.state()).toEqual({ checkpoint: next });
  });

  test('rows without any checkpoint are gone after reopening: nothing stands for them', async () => {
    const { store } = await stores.open(0);
    store.write(puts(row(1, 'a')), undefined);
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
    const place = placeOf(row(1, 'image'));
    const header = Buffer.from('header');
    store.write({ puts: [place], removals: [] }, { ...checkpoint, commitHeader: header });
    place.bytes.fill(0);
    header.fill(0);
    expect(rowsOf(store)).toEqual(bySlot(row(1, 'image')));
    await store.close();
    expect((await stores.open(0)).store.state()?.checkpoint.commitHeader).toEqual(Buffer.from('header'));
  });

  test('wiping leaves an empty store that can be written', async () => {
    const { store } = await stores.open(0);
    store.write(puts(row(1, 'a')), checkpoint);
    await store.wipe();
    expect(store.state()).toBeUndefined();
    expect(store.count()).toBe(0);
    expect([...store.scan()]).toEqual([]);
    store.write(puts(row(2, 'b')), checkpoint);
    expect(rowsOf(store)).toEqual(bySlot(row(2, 'b')));
  });

  test('partitions are apart, and local checkpoints tell of open and of closed stores', async () => {
    const positions = [7, 0, 11];
    for (const partition of positions) {
      const { store } = await stores.open(partition);
      expect(store.count()).toBe(0);
      store.write(puts(row(1, 'a')), { ...checkpoint, changelogPosition: partition * 10 });
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
    store.write(puts(row(1, 'a'), row(2, 'b')), checkpoint);
    const scan = store.scan()[Symbol.iterator]();
    scan.next();
    store.write(puts(row(3, 'c')), checkpoint);
    expect(() => scan.next()).toThrow(AssertionError);
    await store.close();
    expect(() => [...store.scan()]).toThrow(AssertionError);
    expect(() => {
      store.write(puts(), checkpoint);
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
          expect(store.count()).toBe(model.rows.size);
          expect(rowsOf(store)).toEqual(model.rows);
        }
        await store.close();
      }),
      { numRuns: 25 },
    );
  }, 120_000);
});
