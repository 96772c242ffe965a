// As of when an answer about a pipeline is true (Q2): as of each partition's newest commit. Pure.
import { counted } from '@flatline/base';
import type { PartitionState } from '@flatline/processor';

/** Fields of `--json` for each partition. */
export type AsOf = Pick<PartitionState, 'partition' | 'asOf' | 'behind' | 'liveEntries'>;

export function asOfValue({ partition, asOf, behind, liveEntries }: PartitionState): AsOf {
  return { partition, asOf, behind, liveEntries };
}

/**
 * By the slowest of the clocks that matter. That of a partition where nothing lives and nothing waits stands still (C1), and says
 * of nothing how old it is.
 */
export function asOfText(all: readonly AsOf[]): string {
  if (all.every(({ asOf }) => asOf === undefined)) return 'nothing has been committed yet';
  const told = all.flatMap(({ partition, asOf, behind, liveEntries }) =>
    asOf === undefined || asOf.clock <= 0 ? [] : [{ partition, clock: asOf.clock, matters: behind + liveEntries > 0 }],
  );
  const behind = all.reduce((sum, each) => sum + each.behind, 0);
  const unread = behind === 0 ? '' : `, ${counted(behind, 'record')} of the input not yet in it`;
  const byClock = told.toSorted((one, other) => one.clock - other.clock);
  const mattering = byClock.filter(({ matters }) => matters);
  const chosen = mattering[0] ?? byClock.at(-1);
  if (chosen === undefined) return `before the first record of the input${unread}`;
  const whose = mattering.length > 1 ? `partition ${chosen.partition}'s clock, the slowest` : "the input's clock";
  return `as of ${new Date(chosen.clock).toISOString()} by ${whose}${unread}`;
}
