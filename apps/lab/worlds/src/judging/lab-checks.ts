// Checks of facts that no log tells, and only the simulated cluster knows of its commits: their transactional id, the
// group's offset, the time of a truncation, and the batch at the place where a commit says that it read one.
import type { Simulation } from '@flatline/cluster';
import { CHANGELOG, GROUP, INPUT } from '../pipeline-names.ts';
import type { Scenario } from '../scenario.ts';
import type { DecidedCommit } from './decisions.ts';

/** V7, X4: all owners of a task write by its one transactional id, whose epochs fence the former ones. */
export function checkWriters(partition: number, commits: readonly DecidedCommit[]): string[] {
  const id = `${GROUP}.${partition}`;
  return commits
    .filter(({ transaction }) => transaction.transactionalId !== id)
    .map(
      ({ header, transaction }) => `[V7] commit ${header.sequence} is by ${transaction.transactionalId}, not by ${id}`,
    );
}

/**
 * O1: the offset committed of each input is its position. R3: none is left out where the changelog may lose what it acknowledged,
 * behind a claim, or once the last one is an interval old by the clock of its owner.
 */
export function checkOffsets(
  simulation: Simulation,
  { losesChangelog, commitIntervalMs }: Scenario,
  commits: readonly DecidedCommit[],
): string[] {
  let carriedAtMs = -Infinity;
  return commits.flatMap((commit, index) => {
    const { header, transaction } = commit;
    const { sequence, positions, owner } = header;
    const said = transaction.offsets.map(({ offset }) => offset).join('/');
    if (said === '') {
      // It began once the one before was settled, that is decided, and the one that carried began before it was.
      const before = commits[index - 1]?.transaction;
      const beganAtMs = before?.atMs ?? Infinity;
      const isFirst = before?.epoch !== transaction.epoch;
      const ageMs = beganAtMs - carriedAtMs - simulation.suspendedMsBetween(owner, carriedAtMs, beganAtMs);
      if (!losesChangelog && !isFirst && ageMs < commitIntervalMs) return [];
      return [`[R3] commit ${sequence}: without an offset, the last one is ${ageMs} ms old`];
    }
    carriedAtMs = transaction.atMs;
    const position = positions.join('/');
    return said === position ? [] : [`[O1] commit ${sequence}: offset ${said} with position ${position}`];
  });
}

/** R3: no task goes on over an input that is not the one it read. */
export function checkStands(simulation: Simulation, partition: number, commits: readonly DecidedCommit[]): string[] {
  const input = simulation.log.partition(INPUT, partition);
  return commits.flatMap(({ header: { sequence, position, checksum, leaderEpoch } }) => {
    if (leaderEpoch < 0) return [];
    const found = input.batchAt(position - 1);
    if (found?.checksum === checksum && found.leaderEpoch === leaderEpoch) return [];
    return [`[R3] commit ${sequence} stands at ${position}, before which the input holds another batch`];
  });
}

/** K4: truncation goes only below floors that a commit has stated `truncateLagMs`, or `truncateLagBytes` of commits, before. */
export function checkTruncations(
  simulation: Simulation,
  { truncateLagMs, truncateLagBytes }: Scenario,
  partition: number,
  commits: readonly DecidedCommit[],
): string[] {
  return simulation.log.partition(CHANGELOG, partition).truncations.flatMap(({ offset, atMs }) => {
    const before = commits.filter(({ transaction }) => transaction.atMs <= atMs);
    const stated = before.findIndex(({ header }) => header.floor >= offset);
    const inForceMs = stated < 0 ? -1 : atMs - before[stated]!.transaction.atMs;
    const written = before.slice(stated + 1).reduce((sum, { blockBytes }) => sum + blockBytes, 0);
    if (stated >= 0 && inForceMs >= truncateLagMs) return [];
    if (stated >= 0 && written >= truncateLagBytes) {
      simulation.faults.count('truncationByBytes');
      return [];
    }
    const lag = `${truncateLagMs} ms or ${truncateLagBytes} bytes`;
    return [`[K4] truncated below ${offset}, which no floor has allowed for ${lag}: ${inForceMs} ms, ${written} bytes`];
  });
}
