import { framed, over } from '../frame/frame.ts';
import { short } from '../text-table.ts';
import { measureLatency } from './latency-benchmark.ts';
import { latencyLineUp } from './latency-contenders.ts';
import { latencyCharts, latencyFigures, latencyText } from './latency-report.ts';

const DEFAULTS = { events: 3_000_000, sessions: 1_000_000, partitions: 4, repeats: 3 };

export const latency = framed({
  name: 'latency',
  description:
    'from a deadline until its close is seen, idle and under load, beside the punctuator of Kafka Streams, Redis, BullMQ and PostgreSQL',
  settings: (options) => over(DEFAULTS, options),
  lineUp: latencyLineUp,
  conditions: ({ partitions, sessions }) =>
    `${partitions} partitions, ${short(sessions)} sessions; who commits when is said below`,
  measure: measureLatency,
  report: ({ turns }) => {
    const figures = latencyFigures(turns);
    return { figures, text: latencyText(figures), charts: latencyCharts(figures) };
  },
});
