// The local stores of a pipeline on this machine, in a copy: opening a store may drop it (R2), and looking changes nothing.
//
// Owns: the copy.
// Does not own: the stores it was made of.
import { Misconfigured } from '@flatline/base';
import { LmdbStores } from '@flatline/store';
import { rowsIn } from '@flatline/ports';
import type { StoredState } from '@flatline/oracle';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface StorePlace {
  readonly stateDir: string;
  readonly application: string;
  readonly pipeline: string;
}

export class StoreCopy {
  readonly #folder: string;
  readonly #stores: LmdbStores;
  /** Partition → changelog position of the stores that can be trusted. */
  readonly #positions: ReadonlyMap<number, number>;

  private constructor(folder: string, stores: LmdbStores, positions: ReadonlyMap<number, number>) {
    this.#folder = folder;
    this.#stores = stores;
    this.#positions = positions;
  }

  /** @throws StateInUse while a processor uses them, Fatal where there are none. */
  static async make(place: StorePlace): Promise<StoreCopy> {
    const source = join(place.stateDir, `${place.application}.${place.pipeline}`);
    if (!existsSync(source))
      throw new Misconfigured(`there are no local stores in ${source}: correct --state-dir, or leave it out`);
    // Held while the files are copied, so that no process writes to them.
    const held = LmdbStores.open(place);
    const folder = await mkdtemp(join(tmpdir(), 'flatline-verify-'));
    try {
      const name = `${place.application}.${place.pipeline}`;
      const isLock = (path: string): boolean =>
        path.startsWith(join(source, 'lock')) || path === join(source, 'holder');
      await cp(source, join(folder, name), { recursive: true, filter: (path) => !isLock(path) });
    } finally {
      await held.close();
    }
    const stores = LmdbStores.open({ ...place, stateDir: folder });
    const found = await stores.localCheckpoints();
    const positions = found.map(({ partition, changelogPosition }) => [partition, changelogPosition] as const);
    return new StoreCopy(folder, stores, new Map(positions));
  }

  /** undefined: this machine has none of that partition that could be trusted. */
  async of(partition: number): Promise<StoredState | undefined> {
    const position = this.#positions.get(partition);
    if (position === undefined) return undefined;
    const { store } = await this.#stores.open(partition);
    return { position, entries: rowsIn(store.scan()) };
  }

  async remove(): Promise<void> {
    await this.#stores.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
