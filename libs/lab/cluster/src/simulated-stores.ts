// The StateStores of one process on a simulated disk.
//
// Owns: the set of stores that this process has open.
// Does not own: their contents (SimulatedDisk keeps them past a crash).
//
// Invariants
//   SD1  write() is atomic: a crash is before it or after it.
//   SD2  A dead process no longer changes the disk; writes up to its next await have no effect.
import { assert, copyBytes, Corrupt, type DurationMs, Fatal, Retriable, StateInUse } from '@flatline/base';
import {
  assertSlotOrder,
  groupOf,
  type LocalStore,
  type OpenedStore,
  type RowPlace,
  type StateStore,
  type StateStores,
  type StoreChanges,
  type StoreCheckpoint,
  type StoredGroup,
  type StoredRow,
  type StoreDrop,
  StoreOccupied,
  type StoreState,
} from '@flatline/ports';
import type { FaultPlan, StoreCall, StoreFault } from './fault-plan.ts';
import { emptyFile, rowsOf, type SimulatedDisk, type StoreFile } from './simulated-disk.ts';
import type { SimulatedHost } from './simulated-host.ts';

const SPOILT = 0xee;
/** Few, so that a scan has several groups. */
const GROUP_ROWS = 4;

/** Awaited by a dead process. */
const never = <T>(): Promise<T> => new Promise(() => undefined);

export interface StoresEnvironment {
  readonly host: SimulatedHost;
  readonly disk: SimulatedDisk;
  readonly faults: FaultPlan;
  /** True if other processes use the disk, too, as workers of one supervisor do. Default: false. */
  readonly isShared?: boolean;
}

/** Time to wait for a store that another process of the disk has open, and between two looks. */
const HELD_MAX_MS: DurationMs = 3_000;
const HELD_LOOK_MS: DurationMs = 20;

function copyOf({ bytes, keyStart, keyLength, imageStart, imageLength, ...row }: RowPlace): StoredRow {
  const key = copyBytes(bytes, keyStart, keyStart + keyLength);
  return { ...row, key, image: copyBytes(bytes, imageStart, imageStart + imageLength) };
}

export class SimulatedStores implements StateStores {
  readonly isShared: boolean;
  readonly #environment: StoresEnvironment;

  constructor(environment: StoresEnvironment) {
    this.#environment = environment;
    this.isShared = environment.isShared ?? false;
  }

  open(partition: number, { waits } = { waits: true }): Promise<OpenedStore> {
    return this.isShared ? this.#openShared(partition, waits) : this.#open(partition);
  }

  async #openShared(partition: number, waits: boolean): Promise<OpenedStore> {
    const { host, disk } = this.#environment;
    const until = host.monotonicMs() + (waits ? HELD_MAX_MS : 0);
    while (this.#isHeld(partition)) {
      if (host.monotonicMs() >= until) throw new StoreOccupied(`${disk.lockedBy(partition)!} has the local store open`);
      await new Promise<void>((resolve) => host.after(HELD_LOOK_MS, resolve));
    }
    return this.#open(partition);
  }

  #isHeld(partition: number): boolean {
    const { host, disk } = this.#environment;
    const holder = disk.lockedBy(partition);
    return holder !== undefined && holder !== host.name;
  }

  #open(partition: number): Promise<OpenedStore> {
    const { host, disk, faults } = this.#environment;
    if (!host.alive) return never();
    const holder = disk.lockedBy(partition);
    assert(holder !== host.name, 'a process opens a store once', { partition });
    if (holder !== undefined) {
      return Promise.reject(new StateInUse(`the state directory is in use by ${holder}: give each instance its own`));
    }
    const found = disk.file(partition);
    if (disk.full && found === undefined) return Promise.reject(diskFull());
    const fate = faults.storeFate('StoreOpen', host.name, disk.failing);
    if (fate !== undefined) return Promise.reject(deviceError('StoreOpen', fate));
    const dropped = found?.damage;
    // Rows without a checkpoint are meaningless.
    const usable = dropped === undefined && found?.checkpoint !== undefined;
    const file = usable ? found : emptyFile();
    file.closedCleanly = false;
    disk.put(partition, file);
    disk.lock(partition, host.name);
    host.onDeath(() => {
      if (disk.lockedBy(partition) === host.name) disk.unlock(partition);
    });
    return Promise.resolve({ store: new SimulatedStore(this.#environment, partition, file), dropped });
  }

  noteDrop(drop: StoreDrop): void {
    if (this.#environment.host.alive) this.#environment.disk.drops.push(drop);
  }

  drops(): readonly StoreDrop[] {
    return this.#environment.disk.drops;
  }

  localCheckpoints(): Promise<readonly LocalStore[]> {
    const { disk, host } = this.#environment;
    const found: LocalStore[] = [];
    for (const partition of disk.partitions()) {
      const file = disk.file(partition);
      if (file?.checkpoint === undefined || file.damage !== undefined) continue;
      const { checkpoint, writtenAt } = file;
      const isSiblings = this.isShared && disk.lastHolder(partition) !== host.name;
      found.push({
        partition,
        changelogPosition: checkpoint.changelogPosition,
        writtenAt,
        ...(isSiblings && { isSiblings }),
      });
    }
    return Promise.resolve(found);
  }
}

function diskFull(): Retriable {
  return new Retriable('state directory: no space left; free some, or move it (stateDir)');
}

/** Part of every message of a device that failed on purpose. */
export const DEVICE_FAILED = 'simulated device';

function deviceError(call: StoreCall, fate: StoreFault): Retriable | Fatal {
  return fate === 'fails'
    ? new Retriable(`state directory: EIO: i/o error, ${DEVICE_FAILED} at ${call}`)
    : new Fatal(`state directory: EROFS: read-only file system, ${DEVICE_FAILED} at ${call}`);
}

class SimulatedStore implements StateStore {
  readonly #environment: StoresEnvironment;
  readonly #partition: number;
  readonly #file: StoreFile;
  #open = true;
  /** Version of the contents: a scan is invalid after a write. */
  #version = 0;

  constructor(environment: StoresEnvironment, partition: number, file: StoreFile) {
    this.#environment = environment;
    this.#partition = partition;
    this.#file = file;
  }

  state(): StoreState | undefined {
    this.#mustBeOpen();
    const { checkpoint } = this.#file;
    return checkpoint === undefined ? undefined : { checkpoint };
  }

  *scan(): Iterable<StoredGroup> {
    this.#mustBeOpen();
    const version = this.#version;
    const { host, disk, faults } = this.#environment;
    const { size } = this.#file.entries;
    const fate = faults.storeFate('StoreScan', host.name, disk.failing);
    const handedOn = fate === undefined ? size : faults.below(size + 1);
    const rows = rowsOf(this.#file).slice(0, handedOn);
    for (let from = 0; from < rows.length; from += GROUP_ROWS) {
      const group = groupOf(rows.slice(from, from + GROUP_ROWS));
      yield group;
      assert(version === this.#version, 'a store is not written while it is scanned', { partition: this.#partition });
      // Valid only until the next step: a buffer kept longer shows at once.
      group.bytes.fill(SPOILT);
    }
    if (fate !== undefined) throw new Corrupt(`store: ${deviceError('StoreScan', fate).message}`);
  }

  count(): number {
    this.#mustBeOpen();
    return this.#file.entries.size;
  }

  write(changes: StoreChanges, checkpoint: StoreCheckpoint | undefined): void {
    this.#mustBeOpen();
    assertSlotOrder(changes);
    this.#version += 1;
    const { host, faults, disk } = this.#environment;
    if (disk.full && host.alive) throw diskFull();
    if (disk.rotten && host.alive) throw new Corrupt(`store of partition ${this.#partition}: a page is damaged`);
    const failure = host.alive ? faults.storeFate('StoreWrite', host.name, disk.failing) : undefined;
    if (failure !== undefined) throw deviceError('StoreWrite', failure);
    const fate = faults.writeFate(host.name);
    if (fate === 'crashBefore') host.kill();
    if (host.alive) this.#apply(changes, checkpoint);
    if (fate === 'crashAfter') host.kill();
  }

  wipe(): Promise<void> {
    this.#mustBeOpen();
    const { host, disk, faults } = this.#environment;
    if (!host.alive) return never();
    this.#version += 1;
    const fate = faults.storeFate('StoreWipe', host.name, disk.failing);
    // The failure may have come before the files were removed, or after.
    if (fate === undefined || faults.coin()) this.#empty();
    return fate === undefined ? Promise.resolve() : Promise.reject(deviceError('StoreWipe', fate));
  }

  #empty(): void {
    this.#file.entries.clear();
    this.#file.checkpoint = undefined;
  }

  close(): Promise<void> {
    const { host, disk, faults } = this.#environment;
    if (!host.alive) return never();
    if (!this.#open) return Promise.resolve();
    this.#open = false;
    disk.unlock(this.#partition);
    const fate = faults.storeFate('StoreClose', host.name, disk.failing);
    this.#file.closedCleanly = fate === undefined;
    if (fate === undefined) return Promise.resolve();
    // Unsynced rows are dropped, where the device lets them be.
    if (faults.coin()) this.#empty();
    return Promise.reject(deviceError('StoreClose', fate));
  }

  #apply({ puts, removals }: StoreChanges, checkpoint: StoreCheckpoint | undefined): void {
    const { entries } = this.#file;
    for (const slot of removals) entries.delete(slot);
    for (const place of puts) entries.set(place.slot, copyOf(place));
    this.#file.writtenAt = this.#environment.host.wallMs();
    if (checkpoint !== undefined) {
      const { commitHeader } = checkpoint;
      this.#file.checkpoint = { ...checkpoint, commitHeader: copyBytes(commitHeader, 0, commitHeader.length) };
    }
  }

  #mustBeOpen(): void {
    assert(this.#open, 'a closed store is not used', { partition: this.#partition });
  }
}
