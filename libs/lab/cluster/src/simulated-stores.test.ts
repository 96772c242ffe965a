import { describe, expect, test } from '@jest/globals';
import { AssertionError, Corrupt, Fatal, Retriable } from '@flatline/base';
import { type RowPlace, rowsIn, type StateStore, type StoreCheckpoint } from '@flatline/ports';
import { Simulation, type HostPorts } from './index.ts';
import { bytes, text } from './reading.fixture.ts';

const checkpointAt = (changelogPosition: number): StoreCheckpoint => ({
  logId: 'log',
  changelogPosition,
  commitHeader: bytes('header'),
  liveEntries: 0,
  digest: 0,
});

const row = (slot: number, key: string, value: string): RowPlace => ({
  slot,
  sequence: slot + 1,
  bytes: bytes(`${key}${value}`),
  keyStart: 0,
  keyLength: key.length,
  imageStart: key.length,
  imageLength: value.length,
  changelogOffset: slot + 2,
});

const contents = (store: StateStore): string[] =>
  Array.from(rowsIn(store.scan()), ({ key, image }) => `${text(key)}=${text(image)}`);

async function opened(simulation: Simulation, ports: HostPorts, partition = 0): Promise<StateStore> {
  return (await simulation.time.complete(ports.stores.open(partition))).store;
}

describe('stores on a simulated disk', () => {
  test('[R1] what was written outlives the process, with its checkpoint', async () => {
    const simulation = new Simulation({ seed: 1 });
    const { host, ports } = simulation.start('a');
    const store = await opened(simulation, ports);
    expect(store.state()).toBeUndefined();
    store.write({ puts: [row(1, 'a', '2'), row(2, 'b', '1')], removals: [] }, undefined);
    expect(store.state()).toBeUndefined();
    store.write({ puts: [row(2, 'd', '3'), row(3, 'c', '4')], removals: [1, 9] }, checkpointAt(7));
    host.kill();
    const again = await opened(simulation, simulation.start('a').ports);
    expect(Array.from(rowsIn(again.scan()))).toEqual([
      { slot: 2, sequence: 3, key: bytes('d'), image: bytes('3'), changelogOffset: 4 },
      { slot: 3, sequence: 4, key: bytes('c'), image: bytes('4'), changelogOffset: 5 },
    ]);
    expect(again.count()).toBe(2);
    expect(again.state()).toEqual({ checkpoint: checkpointAt(7) });
  });

  test('rows are scanned by ascending slot, whichever was written first, and are written in that order', async () => {
    const simulation = new Simulation({ seed: 1 });
    const store = await opened(simulation, simulation.start('a').ports);
    store.write({ puts: [row(2, 'b', ''), row(30, 'd', '')], removals: [] }, checkpointAt(1));
    store.write({ puts: [row(1, 'a', ''), row(10, 'c', '')], removals: [] }, checkpointAt(1));
    expect(contents(store)).toEqual(['a=', 'b=', 'c=', 'd=']);
    for (const changes of [
      { puts: [row(2, 'b', ''), row(1, 'a', '')], removals: [] },
      { puts: [row(2, 'b', '')], removals: [1, 2] },
    ])
      expect(() => {
        store.write(changes, checkpointAt(2));
      }).toThrow(AssertionError);
    expect(store.state()).toEqual({ checkpoint: checkpointAt(1) });
  });

  test('scanned buffers are spoilt at the next step, written ones may be reused', async () => {
    const simulation = new Simulation({ seed: 1 });
    const store = await opened(simulation, simulation.start('a').ports);
    const reused = row(1, 'k', 'k');
    store.write({ puts: [reused, row(2, 'l', 'x')], removals: [] }, checkpointAt(1));
    reused.bytes.fill(0);
    const kept = [...store.scan()];
    expect(kept.map(({ bytes }) => [...bytes])).toEqual([[0xee, 0xee, 0xee, 0xee]]);
    expect(contents(store)).toEqual(['k=k', 'l=x']);
  });

  test('rows without any checkpoint are gone after reopening: nothing stands for them', async () => {
    const simulation = new Simulation({ seed: 1 });
    const { ports } = simulation.start('a');
    const store = await opened(simulation, ports);
    store.write({ puts: [row(1, 'a', '1')], removals: [] }, undefined);
    expect(store.count()).toBe(1);
    await store.close();
    expect(contents(await opened(simulation, ports))).toEqual([]);
  });

  test('a scan does not outlive a write, nor a store its closing; one is not opened twice', async () => {
    const simulation = new Simulation({ seed: 1 });
    const { ports } = simulation.start('a');
    const store = await opened(simulation, ports);
    store.write({ puts: [row(1, 'a', '1'), row(2, 'b', '2')], removals: [] }, checkpointAt(1));
    const scan = store.scan()[Symbol.iterator]();
    scan.next();
    store.write({ puts: [], removals: [2] }, checkpointAt(2));
    expect(() => scan.next()).toThrow(AssertionError);
    expect(() => void ports.stores.open(0)).toThrow(AssertionError);
    await store.close();
    await store.close();
    expect(() => store.count()).toThrow(AssertionError);
    expect(contents(await opened(simulation, ports))).toEqual(['a=1']);
  });

  test('between the writes of a flush the former checkpoint stands', async () => {
    const simulation = new Simulation({ seed: 1 });
    const store = await opened(simulation, simulation.start('a').ports);
    store.write({ puts: [], removals: [] }, checkpointAt(1));
    store.write({ puts: [row(1, 'a', '1')], removals: [] }, undefined);
    expect(store.state()).toEqual({ checkpoint: checkpointAt(1) });
    await store.wipe();
    expect(store.state()).toBeUndefined();
    expect(store.count()).toBe(0);
  });

  test.each([
    { fault: 'crashBefore', left: ['a=1'] },
    { fault: 'crashAfter', left: ['a=1', 'b=2'] },
  ] as const)(
    'SD1 [F1] $fault: the process dies at a write, which is done or not, and nothing after it',
    async ({ fault, left }) => {
      const simulation = new Simulation({ seed: 1 });
      const { host, ports } = simulation.start('a');
      const store = await opened(simulation, ports);
      simulation.faults.inject({ at: 'StoreWrite', fault, skip: 1 });
      store.write({ puts: [row(1, 'a', '1')], removals: [] }, checkpointAt(1));
      store.write({ puts: [row(2, 'b', '2')], removals: [] }, undefined);
      store.write({ puts: [row(3, 'c', '3')], removals: [] }, checkpointAt(9));
      expect(host.alive).toBe(false);
      const again = await opened(simulation, simulation.start('a').ports);
      expect(contents(again)).toEqual(left);
      expect(again.state()).toEqual({ checkpoint: checkpointAt(1) });
    },
  );

  test.each(['format', 'checksum', 'unreadable'] as const)(
    '[R2] %s: found on opening, dropped, told',
    async (damage) => {
      const simulation = new Simulation({ seed: 1 });
      const { host, ports } = simulation.start('a');
      const store = await opened(simulation, ports);
      store.write({ puts: [row(1, 'a', '1')], removals: [] }, checkpointAt(5));
      await store.close();
      host.kill();
      simulation.disk('a').damage(0, damage);
      const reopened = await simulation.time.complete(simulation.start('a').ports.stores.open(0));
      expect(reopened.dropped).toBe(damage);
      expect(reopened.store.state()).toBeUndefined();
      expect(reopened.store.count()).toBe(0);
    },
  );

  test('[F25] a device that fails: nothing is written, nothing is opened, and what is closed may be opened again', async () => {
    const simulation = new Simulation({ seed: 1 });
    const { faults } = simulation;
    const { ports } = simulation.start('a');
    faults.inject({ at: 'StoreOpen', fault: 'fails' });
    await expect(opened(simulation, ports)).rejects.toBeInstanceOf(Retriable);
    const store = await opened(simulation, ports);
    store.write({ puts: [row(1, 'a', '1'), row(2, 'b', '2')], removals: [] }, checkpointAt(1));
    faults.inject({ at: 'StoreWrite', fault: 'failsForGood' });
    expect(() => {
      store.write({ puts: [], removals: [1] }, checkpointAt(2));
    }).toThrow(Fatal);
    expect(contents(store)).toEqual(['a=1', 'b=2']);
    faults.inject({ at: 'StoreScan', fault: 'fails' });
    expect(() => [...store.scan()]).toThrow(Corrupt);
    faults.inject({ at: 'StoreWipe', fault: 'fails' });
    await expect(store.wipe()).rejects.toBeInstanceOf(Retriable);
    faults.inject({ at: 'StoreClose', fault: 'fails' });
    await expect(store.close()).rejects.toBeInstanceOf(Retriable);
    await opened(simulation, ports);
    expect(faults.pending()).toEqual([]);
  });

  test('[R2] after a reboot only what was closed cleanly is trusted', async () => {
    const simulation = new Simulation({ seed: 1 });
    const { host, ports } = simulation.start('a');
    for (const partition of [0, 1]) {
      const store = await opened(simulation, ports, partition);
      store.write({ puts: [row(1, 'a', '1')], removals: [] }, checkpointAt(5));
      if (partition === 1) await store.close();
    }
    host.kill();
    simulation.disk('a').reboot();
    const after = simulation.start('a').ports.stores;
    expect((await simulation.time.complete(after.open(0))).dropped).toBe('unclean-after-reboot');
    const clean = await simulation.time.complete(after.open(1));
    expect(clean.dropped).toBeUndefined();
    expect(contents(clean.store)).toEqual(['a=1']);
  });

  test('[F9] a stale copy put back, and silent rot, look sound', async () => {
    const simulation = new Simulation({ seed: 1 });
    const { ports } = simulation.start('a');
    const store = await opened(simulation, ports);
    store.write({ puts: [row(1, 'a', '1'), row(2, 'b', '2')], removals: [] }, checkpointAt(5));
    const copy = simulation.disk('a').copy(0);
    store.write({ puts: [row(1, 'a', '3')], removals: [2] }, checkpointAt(9));
    await store.close();
    simulation.disk('a').restore(0, copy);
    simulation.disk('a').rotSilently(0, 'imageChanged', 1);
    const stale = await opened(simulation, ports);
    expect(stale.state()?.checkpoint.changelogPosition).toBe(5);
    expect(contents(stale)).toEqual(['a=1', 'b=3']);
    simulation.disk('a').rotSilently(0, 'entryLost');
    expect(contents(stale)).toEqual(['b=3']);
  });

  test('one process per store; checkpoints are told without opening', async () => {
    const simulation = new Simulation({ seed: 1 });
    const disk = simulation.disk('shared');
    const a = simulation.start('a', { disk });
    const b = simulation.start('b', { disk });
    for (const partition of [2, 0]) {
      const store = await opened(simulation, a.ports, partition);
      store.write({ puts: [], removals: [] }, checkpointAt(10 + partition));
    }
    await opened(simulation, a.ports, 1);
    await expect(b.ports.stores.open(0)).rejects.toBeInstanceOf(Fatal);
    const writtenAt = a.host.wallMs();
    expect(await b.ports.stores.localCheckpoints()).toEqual([
      { partition: 0, changelogPosition: 10, writtenAt },
      { partition: 2, changelogPosition: 12, writtenAt },
    ]);
    a.host.kill();
    expect((await simulation.time.complete(b.ports.stores.open(0))).dropped).toBeUndefined();
  });
});
