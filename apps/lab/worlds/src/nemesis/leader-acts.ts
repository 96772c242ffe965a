// Faults of the leaders of logs: changed, cut off, deposed without knowing it, elected uncleanly.
//
// Owns: the partitions of the input that have lost records.
import { INSTANT_MAX, type Millis } from '@flatline/base';
import type { LogRecord } from '@flatline/cluster';
import type { Devices } from '../devices.ts';
import { CHANGELOG, INPUT, OUTPUT } from '../pipeline-names.ts';
import type { Victims } from './victims.ts';

/** A leader that goes on answering is deposed within this time before the calm. */
const STALE_BEFORE_MS = 4_000;
const OPEN_BEFORE_MS = 1_000;
/** Records that an unclean election removes. */
const LOST_MAX = 8;

export class LeaderActs {
  /** Partitions of the input that have lost records which may have been read, with their former content. */
  readonly bereft = new Map<number, readonly LogRecord[]>();
  readonly #victims: Victims;
  readonly #devices: Devices;

  constructor(victims: Victims, devices: Devices) {
    this.#victims = victims;
    this.#devices = devices;
  }

  /** Plans events that happen once, in worlds meant for them. `openTransaction`: opens a foreign one on the input. */
  plan(openTransaction: () => void): void {
    const { simulation, scenario, random } = this.#victims;
    const { staleLeaders, uncleanElections, stormMs } = scenario;
    const { time } = simulation;
    if (uncleanElections)
      time.after(random.below(stormMs), () => {
        this.#uncleanElection();
      });
    if (!staleLeaders) return;
    const deposedAtMs = stormMs - 1 - random.below(STALE_BEFORE_MS);
    // In the log that the old leader shows for ever, a transaction may be open for ever, too.
    if (random.chance(0.5)) time.after(deposedAtMs - OPEN_BEFORE_MS, openTransaction);
    time.after(deposedAtMs, () => {
      this.#staleLeader();
    });
  }

  /** The new leader's clock may be off; the old one may still answer for a while. */
  leaderChange(): boolean {
    const { simulation, scenario, random } = this.#victims;
    const { hidesNothing, brokersSkewMs: mostMs } = scenario;
    const deposedForMs = random.chance(0.3) && !hidesNothing ? random.below(5_000) : 0;
    const skewMs = random.chance(0.5) ? random.below(2 * mostMs + 1) - mostMs : 0;
    if (Math.abs(skewMs) > 1_000) simulation.faults.count('brokerClocksDiffer');
    const log = this.#victims.log();
    this.#elect(() => {
      log.changeLeader({ skewMs, deposedForMs });
    });
    return true;
  }

  #elect(elect: () => void): void {
    const { beginnings } = this.#victims.cluster;
    if (beginnings === undefined) elect();
    else beginnings.around(elect);
  }

  followersStall(): boolean {
    if (this.#victims.scenario.hidesNothing) return false;
    this.#victims.log().stallReplication(500 + this.#victims.random.below(25_000));
    return true;
  }

  /** Tells deposed leaders that they are, except those for which a task waits: that must find out by itself. */
  endStaleLeaders(): void {
    const { cluster, simulation, scenario } = this.#victims;
    const waiting = cluster.up.flatMap(({ instance }) =>
      instance.status().filter(({ state, nextDueAt }) => state === 'running' && isAwaited(nextDueAt)),
    );
    const { log } = simulation;
    for (let partition = 0; partition < scenario.partitions; partition += 1) {
      if (!waiting.some((task) => task.partition === partition)) log.partition(INPUT, partition).endDeposed();
      for (const topic of [CHANGELOG, OUTPUT]) log.partition(topic, partition).endDeposed();
    }
  }

  /** Readers attached to the old leader lose it, some at once. */
  #uncleanElection(): void {
    const { simulation, random } = this.#victims;
    const { log, faults } = simulation;
    const partition = this.#victims.partition();
    const input = log.partition(INPUT, partition);
    const { highWatermark } = input.ends();
    if (highWatermark === 0) return;
    if (random.chance(0.5)) faults.inject({ at: 'Subscription', fault: 'fails' });
    const before = input.batches.filter((batch) => !input.isAborted(batch)).flatMap(({ records }) => records);
    const losesFrom = Math.max(0, highWatermark - 1 - random.below(LOST_MAX));
    this.#elect(() => {
      input.changeLeader({ losesFrom });
    });
    this.#devices.lost(partition, input.logEnd);
    this.bereft.set(partition, before);
    faults.count('uncleanElection');
  }

  /** Cuts the input's leaders off from their cluster, but not from their readers. */
  #staleLeader(): void {
    const { simulation, scenario } = this.#victims;
    this.#elect(() => {
      for (let partition = 0; partition < scenario.partitions; partition += 1)
        simulation.log.partition(INPUT, partition).changeLeader({ deposedForMs: Infinity });
    });
    simulation.faults.count('staleLeader');
  }
}

/** Nothing has the log read that is due at no time, such as a schedule without further runs. */
function isAwaited(dueAt: Millis | undefined): boolean {
  return dueAt !== undefined && dueAt < INSTANT_MAX;
}
