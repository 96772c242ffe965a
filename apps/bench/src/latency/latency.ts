import type { Benchmark } from '../benchmark.ts';
import { PROBE_EVERY_MS, PROBE_TIMEOUT_MS } from '../failover/failover-scenario.ts';
import { LOOP_DELAY_NOTE, loopDelayText } from '../loop-delay.ts';
import { machineText, thisMachine } from '../machine.ts';
import { javaVersions, lookUpPeer } from '../peers/peer.ts';
import { STORE_NAMES, StorePeer } from '../peers/store-peers.ts';
import type { BarChart } from '../report/bar-chart.ts';
import { short, textTable } from '../text-table.ts';
import { measureLatency } from './latency-benchmark.ts';
import { BUSY_SHARE, type LatencyFigures } from './latency-scenario.ts';

const DEFAULTS = { events: 3_000_000, sessions: 1_000_000, partitions: 4 };

export const latency: Benchmark = {
  name: 'latency',
  description:
    'from a deadline until its close is seen, idle and under load, beside the punctuator of Kafka Streams, Redis, BullMQ and PostgreSQL',
  async run(options) {
    const kafkaStreams = await lookUpPeer('kafka-streams', options);
    const found = await Promise.all(
      STORE_NAMES.map(async (name) => ({ name, ...(await StorePeer.lookUp(name, options)) })),
    );
    const stores = found.flatMap((each) => (each.kind === 'ready' ? [each.program] : []));
    const settings = {
      events: options.events ?? DEFAULTS.events,
      sessions: options.sessions ?? DEFAULTS.sessions,
      partitions: options.partitions ?? DEFAULTS.partitions,
    };
    const { figures, failures } = await measureLatency(settings, { kafkaStreams, stores }, options);
    const missing = [{ name: 'Kafka Streams', ...kafkaStreams }, ...found].flatMap((each) =>
      each.kind === 'missing' ? [`${each.name}: ${each.why.split('\n')[0]!}`] : [],
    );
    const absent = [...missing, ...failures].map((each) => `not run: ${each}`);
    const versions = [...(await javaVersions(kafkaStreams)), ...new Set(stores.flatMap((store) => store.versions))];
    const seenBy = stores.map((store) => `${store.name}: seen by ${store.seenBy}; lacks ${store.lacks}`);
    const title = `${machineText(thisMachine())}; ${settings.partitions} partitions, ${short(settings.sessions)} sessions, commits every 100 ms`;
    return {
      figures: { settings, figures, versions, absent },
      text: [
        title,
        versions.join(', '),
        '',
        latencyTable(figures),
        '',
        NOTE,
        LOOP_DELAY_NOTE,
        ...seenBy,
        ...absent,
      ].join('\n'),
      versions,
      charts: (['idle', 'busy'] as const).map((load) => latencyChart(figures, load)),
    };
  },
};

const NOTE =
  `Sessions that beat once and end after ${PROBE_TIMEOUT_MS} ms of silence. idle: nothing else, about one in 60 ms, now here, now there;\n` +
  `busy: one per partition each ${PROBE_EVERY_MS} ms, beside live sessions that send ${100 * BUSY_SHARE} % of what the contender has just been\n` +
  'measured to get through, from the same machine. A close is seen by a read_committed reader of the output, or as said below.\n' +
  'flatline 25 ms: proofIntervalMs is 25 in place of 100, as the punctuators have intervals of their own.';

function latencyTable(figures: readonly LatencyFigures[]): string {
  const rows = figures.map((row) => [
    ...[row.contender, row.load, short(row.eventsPerSecond), String(row.closes), String(row.missing)],
    ...[row.p50Ms, row.p99Ms, row.maxMs].map((ms) => (row.closes === 0 ? '–' : short(ms))),
    loopDelayText(row.loopDelay),
  ]);
  return textTable([
    ['contender', 'load', 'events/s', 'closes', 'missing', 'p50 ms', 'p99 ms', 'max ms', 'loop ms'],
    ...rows,
  ]);
}

function latencyChart(figures: readonly LatencyFigures[], load: LatencyFigures['load']): BarChart {
  const bars = figures
    // Who closed nothing in time has no lateness to draw.
    .filter((row) => row.load === load && row.closes > 0)
    .map(({ contender, p50Ms, p99Ms }) => ({ label: contender, median: p50Ms, min: p50Ms, max: p99Ms }));
  return { name: load, title: `${load}: ms from deadline to seen, median and up to p99; less is better`, bars };
}
