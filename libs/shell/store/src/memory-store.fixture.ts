// The local store without a disk, for tests and the simulation. Same contract, checked by the same conformance suite.
import { assert, copyBytes } from '@flatline/base';
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
  type StoreState,
} from '@flatline/ports';

const GROUP_ROWS = 5;

/** What a store holds while it is closed. */
interface Contents {
  rows: Map<number, StoredRow>;
  state: StoreState | undefined;
  /** Stands for the wall clock at the last of them. */
  writes: number;
}

class MemoryStore implements StateStore {
  readonly #contents: Contents;
  readonly #onClose: (() => void) | undefined;
  #generation = 0;
  #closed = false;

  constructor(contents: Contents = emptyContents(), onClose?: () => void) {
    this.#contents = contents;
    this.#onClose = onClose;
  }

  state(): StoreState | undefined {
    return this.#contents.state;
  }

  *scan(): Generator<StoredGroup, void, undefined> {
    assert(!this.#closed, 'a closed store is not scanned');
    const generation = this.#generation;
    const rows = [...this.#contents.rows.values()].sort((a, b) => a.slot - b.slot);
    for (let from = 0; from < rows.length; from += GROUP_ROWS) {
      const group = groupOf(rows.slice(from, from + GROUP_ROWS));
      yield group;
      // As a page is: what is kept of it past its step changes here too.
      group.bytes.fill(0xee);
      assert(generation === this.#generation, 'a store is not written while it is scanned');
    }
  }

  count(): number {
    return this.#contents.rows.size;
  }

  write(changes: StoreChanges, checkpoint: StoreCheckpoint | undefined): void {
    assert(!this.#closed, 'a closed store is not written');
    assertSlotOrder(changes);
    this.#generation += 1;
    this.#contents.writes += 1;
    const { rows } = this.#contents;
    for (const slot of changes.removals) rows.delete(slot);
    for (const place of changes.puts) rows.set(place.slot, copyOf(place));
    if (checkpoint !== undefined) {
      const commitHeader = new Uint8Array(checkpoint.commitHeader);
      this.#contents.state = { checkpoint: { ...checkpoint, commitHeader } };
    }
  }

  wipe(): Promise<void> {
    assert(!this.#closed, 'a closed store is not wiped');
    this.#generation += 1;
    Object.assign(this.#contents, emptyContents());
    return Promise.resolve();
  }

  close(): Promise<void> {
    if (!this.#closed) this.#onClose?.();
    this.#closed = true;
    return Promise.resolve();
  }
}

/** Keeps the contents of closed stores, as a directory would. */
export class MemoryStores implements StateStores {
  readonly #contents = new Map<number, Contents>();
  readonly #open = new Set<number>();
  readonly #drops: StoreDrop[] = [];

  open(partition: number): Promise<OpenedStore> {
    assert(!this.#open.has(partition), 'a store is opened once', { partition });
    this.#open.add(partition);
    let contents = this.#contents.get(partition);
    if (contents?.state === undefined) contents = emptyContents();
    this.#contents.set(partition, contents);
    const store = new MemoryStore(contents, () => this.#open.delete(partition));
    return Promise.resolve({ store, dropped: undefined });
  }

  localCheckpoints(): Promise<readonly LocalStore[]> {
    const found: LocalStore[] = [];
    for (const [partition, { state, writes }] of this.#contents)
      if (state !== undefined)
        found.push({ partition, changelogPosition: state.checkpoint.changelogPosition, writtenAt: writes });
    return Promise.resolve(found.sort((a, b) => a.partition - b.partition));
  }

  noteDrop(drop: StoreDrop): void {
    this.#drops.push(drop);
  }

  drops(): readonly StoreDrop[] {
    return this.#drops;
  }

  /** As kill −9 does: what was written stays, and every store may be opened again. */
  crash(): void {
    this.#open.clear();
  }
}

function emptyContents(): Contents {
  return { rows: new Map(), state: undefined, writes: 0 };
}

function copyOf({ bytes, keyStart, keyLength, imageStart, imageLength, ...row }: RowPlace): StoredRow {
  const key = copyBytes(bytes, keyStart, keyStart + keyLength);
  return { ...row, key, image: copyBytes(bytes, imageStart, imageStart + imageLength) };
}
