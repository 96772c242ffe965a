import { framed, over } from '../frame/frame.ts';
import { short, textTable } from '../text-table.ts';
import { measureFailovers } from './failover-benchmark.ts';
import type { FailoverFigures } from './failover-scenario.ts';

const DEFAULTS = { sessions: 1_000_000, partitions: 4, repeats: 1, sessionTimeoutMs: 10_000 };

export const failover = framed({
  name: 'failover',
  description: 'how late closes are when an instance is killed or leaves, with a standby and without',
  settings: (options) => over(DEFAULTS, options),
  measure: measureFailovers,
  report: ({ turns }) => ({ figures: turns, text: failoverTable(turns) }),
});

function failoverTable(figures: readonly FailoverFigures[]): string {
  const rows = figures.map((row) => [
    row.departure,
    String(row.standbys),
    row.firstCloseMs === undefined ? '–' : short(row.firstCloseMs),
    ...[row.longestGapMs, row.latestMs, row.restoreMs, row.takeoverMs].map(short),
  ]);
  const head = [
    'departure',
    'standbys',
    'first close ms',
    'longest gap ms',
    'latest close ms',
    'restore ms',
    'fenced ms',
  ];
  return textTable([head, ...rows]);
}
