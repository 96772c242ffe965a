import { onBenchCluster } from '../bench-cluster.ts';
import type { Benchmark } from '../benchmark.ts';
import { short, textTable } from '../text-table.ts';
import { measureFailover } from './failover-benchmark.ts';
import type { FailoverFigures, FailoverScenario } from './failover-scenario.ts';

const DEFAULTS = { sessions: 1_000_000, partitions: 4, repeats: 1, sessionTimeoutMs: 10_000 };

export const failover: Benchmark = {
  name: 'failover',
  description: 'how late closes are when an instance is killed or leaves, with a standby and without',
  async run({ sessions, partitions, repeats = DEFAULTS.repeats, workDir, onProgress }) {
    const figures: FailoverFigures[] = [];
    await onBenchCluster({ onProgress }, async ({ kafka }) => {
      for (let repeat = 0; repeat < repeats; repeat += 1)
        for (const departure of ['kill', 'leave'] as const)
          for (const standbys of [0, 1]) {
            onProgress(`${departure}, ${standbys} standbys, ${repeat + 1} of ${repeats}`);
            const scenario: FailoverScenario = {
              departure,
              standbys,
              sessionTimeoutMs: DEFAULTS.sessionTimeoutMs,
              sessions: sessions ?? DEFAULTS.sessions,
              partitions: partitions ?? DEFAULTS.partitions,
            };
            figures.push(await measureFailover(kafka, workDir, scenario));
          }
    });
    return { figures, text: failoverTable(figures) };
  },
};

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
