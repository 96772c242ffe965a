import { framed } from '../frame/frame.ts';
import { CHURN_LIFE_MS, measureMemory } from './memory-benchmark.ts';
import { memoryCharts, memoryFigures, memoryText } from './memory-report.ts';

const POPULATIONS = [1_000_000, 10_000_000];
const CHURNING_SESSIONS = 200_000;
/** Churn before it counts: buffers and the heap reach their size in some minutes. */
const WARM_MS = 10 * CHURN_LIFE_MS;

export const memory = framed({
  name: 'memory',
  description: 'resident memory per live session, and whether it stays while sessions come and go',
  settings: ({ sessions, partitions = 4, minutes = 0 }) => ({
    populations: sessions === undefined ? POPULATIONS : [sessions],
    partitions,
    minutes,
    warmMs: WARM_MS,
    churningSessions: CHURNING_SESSIONS,
  }),
  measure: measureMemory,
  report: ({ populations, churn }) => {
    const figures = populations.map(memoryFigures);
    return { figures, text: memoryText(figures, churn), charts: memoryCharts(figures) };
  },
});
