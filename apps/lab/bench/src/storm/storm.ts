import { framed, over } from '../frame/frame.ts';
import { streamsLineUp } from '../frame/line-up.ts';
import { short } from '../text-table.ts';
import { measureStorm } from './storm-benchmark.ts';
import { stormContenders } from './storm-contenders.ts';
import { stormCharts, stormFigures, stormText } from './storm-report.ts';

const DEFAULTS = {
  sessions: 1_000_000,
  partitions: 4,
  livingSessions: 100_000,
  heartbeatsPerSecond: 20_000,
  repeats: 3,
};
/** What a contender is given to start in, and to read each session's heartbeat: 20 000 a second. */
const START_MS = 15_000;
const READ_MS_PER_SESSION = 0.05;

export const storm = framed({
  name: 'storm',
  description:
    "sessions that fall silent together while others live on: closes per second, the others' delay, beside Kafka Streams' punctuator",
  settings: (options) => {
    const settings = over(DEFAULTS, options);
    return { ...settings, timeoutMs: START_MS + READ_MS_PER_SESSION * settings.sessions };
  },
  lineUp: (options) => streamsLineUp(options, stormContenders),
  conditions: ({ sessions, partitions, livingSessions, heartbeatsPerSecond }) =>
    `${short(sessions)} sessions due at once on ${partitions} partitions, while ${short(livingSessions)} others send ` +
    `${short(heartbeatsPerSecond)} heartbeats/s`,
  measure: measureStorm,
  report: ({ turns }) => {
    const figures = stormFigures(turns);
    return { figures, text: stormText(figures), charts: stormCharts(figures) };
  },
});
