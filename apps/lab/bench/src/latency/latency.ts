import type { Benchmark } from '../benchmark.ts';
import { machineText, thisMachine } from '../machine.ts';
import { javaVersions, lookUpPeer } from '../peers/peer.ts';
import { STORE_NAMES, StorePeer } from '../peers/store-peers.ts';
import { short } from '../text-table.ts';
import { measureLatency } from './latency-benchmark.ts';
import { latencyContenders } from './latency-contenders.ts';
import { latencyCharts, latencyFigures, latencyText } from './latency-report.ts';

const DEFAULTS = { events: 3_000_000, sessions: 1_000_000, partitions: 4, repeats: 3 };

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
      repeats: options.repeats ?? DEFAULTS.repeats,
    };
    const { turns, failures } = await measureLatency(settings, { kafkaStreams, stores }, options);
    const figures = latencyFigures(turns);
    const missing = [{ name: 'Kafka Streams', ...kafkaStreams }, ...found].flatMap((each) =>
      each.kind === 'missing' ? [`${each.name}: ${each.why.split('\n')[0]!}`] : [],
    );
    const absent = [...missing, ...failures].map((each) => `not run: ${each}`);
    const versions = [...(await javaVersions(kafkaStreams)), ...new Set(stores.flatMap((store) => store.versions))];
    const contenders = latencyContenders(kafkaStreams, stores).map(({ name, does }) => `${name}: ${does}`);
    const title = `${machineText(thisMachine())}; ${settings.partitions} partitions, ${short(settings.sessions)} sessions; who commits when is said below`;
    return {
      figures: { settings, figures, turns, versions, absent },
      text: [title, versions.join(', '), '', latencyText(figures), '', ...contenders, ...absent].join('\n'),
      versions,
      charts: latencyCharts(figures),
      turns: settings.repeats,
    };
  },
};
