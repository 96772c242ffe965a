import { framed, over } from '../frame/frame.ts';
import { short } from '../text-table.ts';
import { measureScale } from './scale-benchmark.ts';
import { scaleChart, scaleFigures, scaleText } from './scale-report.ts';

const DEFAULTS = { events: 6_000_000, sessions: 200_000, partitions: 8, repeats: 3 };

export const scale = framed({
  name: 'scale',
  description: 'events per CPU second of one instance, of two and of four that share the partitions',
  settings: (options) => ({ ...over(DEFAULTS, options), instanceCounts: [1, 2, 4] }),
  conditions: ({ events, sessions, partitions }) =>
    `${short(events)} bare heartbeats of ${short(sessions)} sessions, ${partitions} partitions`,
  measure: measureScale,
  report: ({ costs }) => {
    const figures = scaleFigures(costs);
    return { figures, text: scaleText(figures), charts: [scaleChart(figures)] };
  },
});
