import { framed, over } from '../frame/frame.ts';
import { streamsLineUp } from '../frame/line-up.ts';
import { short } from '../text-table.ts';
import { measurePaced } from './paced-benchmark.ts';
import { COMMIT_INTERVAL_MS, pacedContenders } from './paced-contenders.ts';
import { pacedCharts, pacedFigures, pacedText } from './paced-report.ts';

const POPULATIONS = [1_000_000, 10_000_000];
const DEFAULTS = { eventsPerSecond: 100_000, repeats: 3, partitions: 4 };

export const paced = framed({
  name: 'paced',
  description: 'CPU per heartbeat at the same rate for everyone, 1 and 10 million live sessions, beside Kafka Streams',
  settings: (options) => ({
    ...over(DEFAULTS, options),
    populations: options.sessions === undefined ? POPULATIONS : [options.sessions],
  }),
  lineUp: (options) => streamsLineUp(options, pacedContenders),
  conditions: ({ eventsPerSecond, partitions }) =>
    `${short(eventsPerSecond)} bare heartbeats a second of random sessions, ${partitions} partitions, commits every ${COMMIT_INTERVAL_MS} ms`,
  measure: measurePaced,
  report: ({ turns }, { eventsPerSecond }) => {
    const figures = pacedFigures(turns, eventsPerSecond);
    return { figures, text: pacedText(figures), charts: pacedCharts(figures) };
  },
});
