// Faults of disks and of the local stores on them.
//
// Owns: copies taken of local stores.
import type { SimulatedDisk } from '@flatline/cluster';
import { CHANGELOG } from '../pipeline-names.ts';
import type { Victims } from './victims.ts';

interface StoreCopy {
  readonly partition: number;
  readonly file: ReturnType<SimulatedDisk['copy']>;
}

const COPIES_MAX = 8;

export class StoreActs {
  readonly #victims: Victims;
  readonly #copies: StoreCopy[] = [];

  constructor(victims: Victims) {
    this.#victims = victims;
  }

  diskReplaced(): boolean {
    const name = this.#victims.machineDown();
    if (name !== undefined) this.#victims.simulation.disk(name).wipe();
    return name !== undefined;
  }

  /** Takes a backup of a store. */
  storeCopied(): boolean {
    const { cluster, simulation, random } = this.#victims;
    const names = [...cluster.processes.keys()];
    const disk = simulation.disk(names[random.below(names.length)]!);
    const partitions = disk.partitions().filter((each) => disk.file(each)?.checkpoint !== undefined);
    const partition = partitions[random.below(Math.max(1, partitions.length))];
    if (partition === undefined) return false;
    this.#copies.push({ partition, file: disk.copy(partition) });
    if (this.#copies.length > COPIES_MAX) this.#copies.splice(random.below(COPIES_MAX), 1);
    return true;
  }

  storeStale(): boolean {
    const copy = this.#someCopy();
    const name = copy && this.#victims.machineDown();
    if (name === undefined) return false;
    this.#victims.simulation.disk(name).restore(copy!.partition, copy!.file);
    return true;
  }

  /** Puts another partition's store in the place of this one's; it claims no more of the log than there is (else R3). */
  storeForeign(): boolean {
    const { cluster, simulation, scenario, random } = this.#victims;
    const copy = this.#someCopy();
    if (copy === undefined || scenario.partitions === 1) return false;
    const partition = (copy.partition + 1) % scenario.partitions;
    const end = simulation.log.partition(CHANGELOG, partition).ends().lastStableOffset;
    if (copy.file.checkpoint!.changelogPosition > end) return false;
    // With no process left to go on, the log may end where the store does.
    if (random.chance(0.5)) for (const { host } of cluster.up) host.kill();
    const name = this.#victims.machineDown();
    if (name !== undefined) simulation.disk(name).restore(partition, copy.file);
    return name !== undefined;
  }

  storeDamaged(): boolean {
    const found = this.#victims.storeDown();
    const kinds = ['format', 'checksum', 'unreadable'] as const;
    found?.disk.damage(found.partition, kinds[this.#victims.random.below(kinds.length)]!);
    return found !== undefined;
  }

  storeRots(): boolean {
    const { random } = this.#victims;
    const found = this.#victims.storeDown();
    const count = found === undefined ? 0 : (found.disk.file(found.partition)?.entries.size ?? 0);
    if (found === undefined || count === 0) return false;
    const how = random.chance(0.5) ? 'entryLost' : 'imageChanged';
    found.disk.rotSilently(found.partition, how, random.below(count));
    return true;
  }

  /** F12: for a while the disk refuses all writes and new stores. */
  diskFull(): boolean {
    const process = this.#victims.process();
    const disk = process && this.#victims.simulation.disk(process.name);
    if (disk === undefined || disk.full) return false;
    disk.full = true;
    this.#victims.later(25_000, () => {
      disk.full = false;
    });
    return true;
  }

  /** F25: for a while the stores' device fails at every other call; often just as they are closed. */
  deviceFails(): boolean {
    const { cluster, simulation, random } = this.#victims;
    const process = this.#victims.process();
    const disk = process && simulation.disk(process.name);
    if (disk === undefined || disk.failing) return false;
    disk.failing = true;
    if (random.chance(0.5)) void cluster.leave(process!);
    this.#victims.later(15_000, () => {
      disk.failing = false;
    });
    return true;
  }

  #someCopy(): StoreCopy | undefined {
    return this.#copies[this.#victims.random.below(Math.max(1, this.#copies.length))];
  }
}
