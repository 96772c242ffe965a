// Chooses the victim of each act of the nemesis, and when the damage mends by itself.
//
// Owns: the nemesis's random numbers.
// Does not own: the acts.
//
// Invariants
//   VI1  Every draw of the nemesis comes from this one random, in the order in which acts are done: so each seed keeps its world.
import type { DurationMs, Random } from '@flatline/base';
import type { SimulatedDisk, Simulation } from '@flatline/cluster';
import type { Cluster, SimulatedProcess } from '../cluster.ts';
import { CHANGELOG, INPUT, OUTPUT } from '../pipeline-names.ts';
import type { Scenario } from '../scenario.ts';

const LAUNCH_SKEW_MAX_MS = 60_000;

export class Victims {
  readonly cluster: Cluster;
  readonly simulation: Simulation;
  readonly scenario: Scenario;
  readonly random: Random;

  constructor(cluster: Cluster) {
    this.cluster = cluster;
    this.simulation = cluster.simulation;
    this.scenario = cluster.scenario;
    this.random = cluster.simulation.random('nemesis');
  }

  /** Calls `mend` at a random moment within this time. */
  later(withinMs: DurationMs, mend: () => void): void {
    this.simulation.time.after(this.random.below(withinMs), mend);
  }

  launch(name: string): void {
    const skewed = this.scenario.timestampType === 'LogAppendTime' && this.random.chance(0.2);
    this.cluster.launch(name, skewed ? this.random.below(2 * LAUNCH_SKEW_MAX_MS) - LAUNCH_SKEW_MAX_MS : 0);
  }

  /** A running process; undefined: none runs. */
  process(): SimulatedProcess | undefined {
    const { up } = this.cluster;
    return up[this.random.below(Math.max(1, up.length))];
  }

  killed(): SimulatedProcess | undefined {
    const process = this.process();
    process?.host.kill();
    return process;
  }

  /** A process whose wall clock may be wrong: on CreateTime the present is an input of the rules (C6). */
  processOfAnyTime(): SimulatedProcess | undefined {
    return this.scenario.timestampType === 'LogAppendTime' ? this.process() : undefined;
  }

  /** A machine that is down already, or whose process is killed for it. */
  machineDown(): string | undefined {
    const { down } = this.cluster;
    return down[this.random.below(Math.max(1, down.length))] ?? this.killed()?.name;
  }

  storeDown(): { readonly disk: SimulatedDisk; readonly partition: number } | undefined {
    const name = this.machineDown();
    if (name === undefined) return undefined;
    const disk = this.simulation.disk(name);
    const partitions = disk.partitions();
    const partition = partitions[this.random.below(Math.max(1, partitions.length))];
    return partition === undefined ? undefined : { disk, partition };
  }

  /** A partition's log, of the changelog twice as often as of the others. */
  log(): ReturnType<Simulation['log']['partition']> {
    const further = this.scenario.furtherInputs.map(({ topic }) => topic);
    const topics = [INPUT, CHANGELOG, CHANGELOG, OUTPUT, ...further];
    const partition = this.partition();
    return this.simulation.log.partition(topics[this.random.below(topics.length)]!, partition);
  }

  partition(): number {
    return this.random.below(this.scenario.partitions);
  }
}
