import { framed, over } from '../frame/frame.ts';
import { measureGrowth } from './growth-benchmark.ts';
import { growthCharts, growthFigures, growthText } from './growth-report.ts';

const POPULATIONS = [100_000, 1_000_000, 10_000_000, 15_000_000];
const DEFAULTS = { warmUpBeats: 1_500_000, beatsPerSecond: 100_000, repeats: 3, partitions: 4 };
const BEATS = 6_000_000;

export const growth = framed({
  name: 'growth',
  description: 'a heartbeat, a process and its restart with 100 thousand to 15 million live sessions',
  settings: (options) => {
    const { sessions: most = POPULATIONS.at(-1)!, events: beats = BEATS } = options;
    return { ...over(DEFAULTS, options), beats, populations: [...POPULATIONS.filter((size) => size < most), most] };
  },
  measure: measureGrowth,
  report: ({ rows }, settings) => {
    const figures = growthFigures(rows);
    return { figures, text: growthText(figures, settings), charts: growthCharts(figures) };
  },
});
