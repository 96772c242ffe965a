// The local store without a disk, for tests and the simulation. Same contract, checked by the same conformance suite.
import { assert } from '@flatline/base';
import {
  groupOf,
  type LocalStore,
  type OpenedStore,
  type StateStore,
  type StateStores,
  type StoreChanges,
  type StoreCheckpoint,
  type StoredGroup,
  type StoredImage,
  type StoreDrop,
  type StoreState,
} from '@flatline/ports';

const GROUP_ENTRIES = 5;

/** What a store holds while it is closed. */
interface Contents {
  entries: Map<string, StoredImage>;
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
    const images = [...this.#contents.entries.values()];
    for (let from = 0; from < images.length; from += GROUP_ENTRIES) {
      const group = groupOf(images.slice(from, from + GROUP_ENTRIES));
      yield group;
      // As a page is: what is kept of it past its step changes here too.
      group.bytes.fill(0xee);
      assert(generation === this.#generation, 'a store is not written while it is scanned');
    }
  }

  count(): number {
    return this.#contents.entries.size;
  }

  write(changes: StoreChanges, checkpoint: StoreCheckpoint | undefined): void {
    assert(!this.#closed, 'a closed store is not written');
    this.#generation += 1;
    this.#contents.writes += 1;
    const { entries, state } = this.#contents;
    for (const key of changes.removals) entries.delete(textOf(key));
    for (const { bytes, keyStart, keyLength, imageStart, imageLength, changelogOffset } of changes.puts) {
      const key = bytes.slice(keyStart, keyStart + keyLength);
      entries.set(textOf(key), { key, image: bytes.slice(imageStart, imageStart + imageLength), changelogOffset });
    }
    if (checkpoint !== undefined) {
      const commitHeader = new Uint8Array(checkpoint.commitHeader);
      this.#contents.state = { checkpoint: { ...checkpoint, commitHeader }, clean: true };
    } else if (state !== undefined) this.#contents.state = { ...state, clean: false };
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
  return { entries: new Map(), state: undefined, writes: 0 };
}

/** Keys are any bytes: one character for each keeps them apart. */
function textOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1');
}
