// F26: elections by which a changelog loses acknowledged blocks, in worlds meant for it.
//
// Owns: the partitions that have lost any.
import type { LogBatch } from '@flatline/cluster';
import { CHANGELOG } from '../pipeline-names.ts';
import type { Victims } from './victims.ts';

const ANSWER_DROPPED = 'EndTxn/answerDropped';
/** About three commits. */
const LOST_BATCHES_MAX = 6;
const LOOK_MS = 0.05;

export class ChangelogLosses {
  /** Partitions whose changelog has lost blocks that may have been acknowledged. */
  readonly partitions = new Set<number>();
  readonly #victims: Victims;

  /** Number of losses. */
  count = 0;

  constructor(victims: Victims) {
    this.#victims = victims;
  }

  /** An unclean election removes the newest blocks, acknowledged or not. */
  changelogLost(): boolean {
    const { simulation, scenario, random } = this.#victims;
    if (!scenario.losesChangelog) return false;
    const partition = this.#victims.partition();
    const { batches } = simulation.log.partition(CHANGELOG, partition);
    const losesFrom = batches.at(-1 - random.below(LOST_BATCHES_MAX))?.baseOffset;
    return losesFrom !== undefined && this.#lose(partition, losesFrom);
  }

  /** The same for a commit that has just taken place, and whose owner has no answer. */
  changelogLostUnknown(): boolean {
    const { simulation, scenario } = this.#victims;
    if (!scenario.losesChangelog) return false;
    const { faults, log, time } = simulation;
    const droppedBefore = faults.fired().get(ANSWER_DROPPED) ?? 0;
    const untilMs = time.nowMs + 5_000;
    faults.inject({ at: 'EndTxn', fault: 'answerDropped' });
    let ended = Infinity;
    const look = (): void => {
      if ((faults.fired().get(ANSWER_DROPPED) ?? 0) > droppedBefore)
        ended = Math.min(ended, log.endedTransactions.length);
      const blocks = log.endedTransactions
        .slice(ended)
        .flatMap(({ offsets, writes }) => (offsets.length > 0 ? writes : []))
        .find(({ topic }) => topic === CHANGELOG);
      const first = blocks?.batches[0];
      if (first !== undefined) this.#lose(blocks!.partition, first.baseOffset);
      else if (time.nowMs < untilMs) time.after(LOOK_MS, look);
    };
    look();
    return true;
  }

  /** The same for the next claim, most likely one that its owner has not read back. */
  claimLost(): boolean {
    const { simulation, scenario, random } = this.#victims;
    if (!scenario.losesChangelog || this.#victims.killed() === undefined) return false;
    const { log, time } = simulation;
    const since = log.endedTransactions.length;
    const untilMs = time.nowMs + 30_000;
    const look = (): void => {
      const claim = log.endedTransactions
        .slice(since)
        .find(({ marker, offsets, writes }) => marker === 'commit' && offsets.length === 0 && writes[0]?.batches[0]);
      if (claim === undefined && time.nowMs < untilMs) time.after(LOOK_MS, look);
      else if (claim !== undefined)
        time.after(random.next() * 3, () => {
          this.#hide(claim.writes[0]!);
        });
    };
    look();
    return true;
  }

  /** Removes blocks before any process hears of them. */
  #hide({ partition, batches }: { readonly partition: number; readonly batches: readonly LogBatch[] }): void {
    const { cluster, simulation } = this.#victims;
    const hosts = cluster.up.map(({ host }) => host).filter(({ cut }) => cut === 'none');
    for (const host of hosts) host.cutOff('fromBroker');
    simulation.time.after(20, () => {
      this.#lose(partition, batches[0]!.baseOffset);
      for (const host of hosts) host.cutOff('none');
    });
  }

  #lose(partition: number, losesFrom: number): boolean {
    const log = this.#victims.simulation.log.partition(CHANGELOG, partition);
    if (losesFrom < log.ends().logStartOffset || losesFrom >= log.logEnd) return false;
    log.changeLeader({ losesFrom });
    this.partitions.add(partition);
    this.count += 1;
    return true;
  }
}
