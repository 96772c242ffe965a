// Disturbs the cluster while the storm lasts, and mends everything afterwards.
//
// Owns: the next act.
// Does not own: chances per request (FaultPlan), the devices' records.
import { calm, type LogRecord } from '@flatline/cluster';
import type { Cluster } from '../cluster.ts';
import type { Devices } from '../devices.ts';
import { type Act, ACTS, type Hands } from './acts.ts';
import { ChangelogLosses } from './changelog-losses.ts';
import { LeaderActs } from './leader-acts.ts';
import { NetworkActs } from './network-acts.ts';
import { ProcessActs } from './process-acts.ts';
import { StoreActs } from './store-acts.ts';
import { Victims } from './victims.ts';

/** Each act as often as its weight. */
const DRAWN: readonly Act[] = ACTS.flatMap((act) => Array.from({ length: act.weight }, () => act));

export class Nemesis {
  readonly #victims: Victims;
  readonly #devices: Devices;
  readonly #hands: Hands;

  constructor(cluster: Cluster, devices: Devices) {
    const victims = new Victims(cluster);
    this.#victims = victims;
    this.#devices = devices;
    this.#hands = {
      processes: new ProcessActs(victims),
      stores: new StoreActs(victims),
      leaders: new LeaderActs(victims, devices),
      losses: new ChangelogLosses(victims),
      network: new NetworkActs(victims, devices),
    };
    this.#hands.leaders.plan(() => this.#hands.network.upstreamBegins());
  }

  /** Partitions of the input that have lost records which may have been read, with their former content. */
  get bereft(): ReadonlyMap<number, readonly LogRecord[]> {
    return this.#hands.leaders.bereft;
  }

  /** Partitions whose changelog has lost blocks that may have been acknowledged. */
  get lostChangelogs(): ReadonlySet<number> {
    return this.#hands.losses.partitions;
  }

  /** How often a changelog has lost blocks. */
  get changelogLosses(): number {
    return this.#hands.losses.count;
  }

  /** Does one of all acts, if it is possible now. Counts it as `nemesis/<name>`. */
  act(): void {
    const { random, simulation } = this.#victims;
    const { name, does } = DRAWN[random.below(DRAWN.length)]!;
    if (!does(this.#hands)) return;
    simulation.faults.count(`nemesis/${name}`);
    simulation.trace.note(`nemesis ${name}`);
  }

  /** Restarts processes that are down; in the storm by chance, so that for a while there may be none. */
  restart(chance: number): void {
    const { cluster, random } = this.#victims;
    for (const name of cluster.down) if (random.chance(chance)) this.#victims.launch(name);
  }

  /** Everything works from now on; losses stay. */
  heal(): void {
    const { cluster, simulation } = this.#victims;
    const { faults, network } = simulation;
    faults.setRates(calm);
    faults.slowProduces(undefined);
    if (network.outage) network.setOutage(false);
    for (const { host } of cluster.up) {
      host.cutOff('none');
      host.machine.thaw();
      host.machine.step(simulation.trueMs() - host.wallMs());
      host.resume();
    }
    for (const name of cluster.processes.keys()) {
      const disk = simulation.disk(name);
      disk.full = false;
      disk.failing = false;
    }
    this.#hands.leaders.endStaleLeaders();
    while (this.#devices.openTransactions > 0) this.#devices.endTransaction();
  }
}
