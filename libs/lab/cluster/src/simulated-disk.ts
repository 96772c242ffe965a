// The contents of a machine's disk that outlive a process: the local stores of its partitions, and the ways they rot.
//
// Owns: the files.
// Does not own: the running process's view of them (SimulatedStore).
import { assert, type Millis } from '@flatline/base';
import type { StoreCheckpoint, StoredRow, StoreDistrust, StoreDrop } from '@flatline/ports';

export interface StoreFile {
  /** By slot. */
  readonly entries: Map<number, StoredRow>;
  checkpoint: StoreCheckpoint | undefined;
  /** By the machine's wall clock. */
  writtenAt: Millis;
  /** Set by a clean shutdown, cleared when opened: tells a reboot with unwritten pages. */
  closedCleanly: boolean;
  /** The damage that opening it will find. */
  damage: StoreDistrust | undefined;
}

export const emptyFile = (): StoreFile => ({
  entries: new Map(),
  checkpoint: undefined,
  writtenAt: 0,
  closedCleanly: true,
  damage: undefined,
});

/** Its rows, by ascending slot. */
export const rowsOf = ({ entries }: StoreFile): StoredRow[] => [...entries.values()].sort((a, b) => a.slot - b.slot);

/** Returns a copy that shares nothing mutable; rows are never written to. */
const copyOf = (file: StoreFile): StoreFile => ({ ...file, entries: new Map(file.entries) });

export class SimulatedDisk {
  readonly #files = new Map<number, StoreFile>();
  readonly #locks = new Map<number, string>();
  readonly #lastHolders = new Map<number, string>();
  readonly drops: StoreDrop[] = [];
  /** F12: nothing can be written, and no store can be created. */
  full = false;
  /** F25: every other call fails. */
  failing = false;
  /** Writes find files damaged; nothing is written. */
  rotten = false;

  file(partition: number): StoreFile | undefined {
    return this.#files.get(partition);
  }

  partitions(): number[] {
    return [...this.#files.keys()].sort((a, b) => a - b);
  }

  put(partition: number, file: StoreFile): void {
    this.#files.set(partition, file);
  }

  /** Process that has the store open; undefined: none. */
  lockedBy(partition: number): string | undefined {
    return this.#locks.get(partition);
  }

  /** The last process to have it open, possibly now. */
  lastHolder(partition: number): string | undefined {
    return this.#lastHolders.get(partition);
  }

  lock(partition: number, host: string): void {
    this.#locks.set(partition, host);
    this.#lastHolders.set(partition, host);
  }

  unlock(partition: number): void {
    this.#locks.delete(partition);
  }

  /** The machine restarts: files that were not closed cleanly may lack pages. Processes are killed by the caller. */
  reboot(): void {
    this.#locks.clear();
    for (const file of this.#files.values()) if (!file.closedCleanly) file.damage ??= 'unclean-after-reboot';
  }

  /** Damages the store, for its next opening to find. */
  damage(partition: number, damage: StoreDistrust): void {
    this.#existing(partition).damage = damage;
  }

  /** Removes one entry, or changes one byte of its image, unseen by any checksum: only count and digest can tell (R1). */
  rotSilently(partition: number, how: 'entryLost' | 'imageChanged', index = 0): void {
    const file = this.#existing(partition);
    const row = rowsOf(file)[index];
    assert(row !== undefined, 'there is an entry to rot', { partition, index });
    if (how === 'entryLost') {
      file.entries.delete(row.slot);
      return;
    }
    const image = row.image.slice();
    if (image.length > 0) image[image.length - 1] = image.at(-1)! ^ 1;
    file.entries.set(row.slot, { ...row, image });
  }

  /** Returns a backup of one store, to be put back later as a stale one, or elsewhere as a foreign one. */
  copy(partition: number): StoreFile {
    return copyOf(this.#existing(partition));
  }

  restore(partition: number, copy: StoreFile): void {
    assert(!this.#locks.has(partition), 'a store is put back while no process has it open', { partition });
    this.#files.set(partition, copyOf(copy));
  }

  wipe(): void {
    this.#files.clear();
  }

  #existing(partition: number): StoreFile {
    const file = this.#files.get(partition);
    assert(file !== undefined, 'there is a store on this disk', { partition });
    return file;
  }
}
