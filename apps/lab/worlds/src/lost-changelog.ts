// F26: the permitted outcomes for a partition whose changelog has lost acknowledged blocks. If commits are lost, it must
// stop and say so, under any owner; if none is, it may stop, or go on as if nothing had happened.
import type { EndedTransaction, LogRecord, Simulation } from '@flatline/cluster';
import type { Cluster } from './cluster.ts';
import { blockIn, recordsOf, writtenTo } from './judging/decisions.ts';
import { CHANGELOG, GROUP } from './pipeline-names.ts';

export interface Loss {
  /** The worst loss by elections. */
  readonly what: 'claims' | 'commits';
  /** Commits written after a lost one: no restore reaches them. */
  readonly onTop: number;
}

export function lossOf(simulation: Simulation, partition: number): Loss {
  const { logStartOffset } = simulation.log.partition(CHANGELOG, partition).ends();
  const commitIds = new Map(
    simulation.log.committed(CHANGELOG, partition).map((record) => [record.offset, commitIdOf(record)] as const),
  );
  const isLost = (transaction: EndedTransaction): boolean => {
    const blocks = recordsOf(writtenTo(transaction, CHANGELOG, partition));
    return blocks.some((block) => block.offset >= logStartOffset && commitIds.get(block.offset) !== commitIdOf(block));
  };
  const lost = simulation.log.endedTransactions
    .filter(
      ({ transactionalId, marker, offsets }) =>
        transactionalId === `${GROUP}.${partition}` && marker === 'commit' && offsets.length > 0,
    )
    .map(isLost);
  const first = lost.indexOf(true);
  if (first < 0) return { what: 'claims', onTop: 0 };
  return { what: 'commits', onTop: lost.slice(first).filter((each) => !each).length };
}

/** True if its owner has stopped; undefined: it has none, or one that has not noticed yet. */
export function hasStopped({ up }: Cluster, partition: number): boolean | undefined {
  const states = up.flatMap(({ instance }) =>
    instance.status().flatMap((status) => (status.partition === partition ? [status.state] : [])),
  );
  if (states.includes('running')) return false;
  return states.includes('stopped') ? true : undefined;
}

function commitIdOf(record: LogRecord): string {
  const block = blockIn(record);
  return block.kind === 'state' ? block.header.commitId : '';
}
