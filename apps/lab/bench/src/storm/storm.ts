import type { Benchmark } from '../benchmark.ts';
import { machineText, thisMachine } from '../machine.ts';
import { javaVersions, lookUpPeer } from '../peers/peer.ts';
import { measureStorm } from './storm-benchmark.ts';
import { stormContenders } from './storm-contenders.ts';
import { stormCharts, stormFigures, stormText } from './storm-report.ts';
import type { StormSettings } from './storm-scenario.ts';

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

export const storm: Benchmark = {
  name: 'storm',
  description:
    "sessions that fall silent together while others live on: closes per second, the others' delay, beside Kafka Streams' punctuator",
  async run(options) {
    const kafkaStreams = await lookUpPeer('kafka-streams', options);
    const sessions = options.sessions ?? DEFAULTS.sessions;
    const partitions = options.partitions ?? DEFAULTS.partitions;
    const timeoutMs = START_MS + READ_MS_PER_SESSION * sessions;
    const settings: StormSettings = {
      ...DEFAULTS,
      sessions,
      partitions,
      timeoutMs,
      repeats: options.repeats ?? DEFAULTS.repeats,
    };
    const turns = await measureStorm(settings, kafkaStreams, options);
    const figures = stormFigures(turns);
    const absent = kafkaStreams.kind === 'missing' ? [`not run: Kafka Streams: ${kafkaStreams.why}`] : [];
    const contenders = stormContenders(kafkaStreams).map(({ name, does }) => `${name}: ${does}`);
    return {
      figures: { settings, figures, turns, absent },
      text: [machineText(thisMachine()), stormText(settings, figures), '', ...contenders, ...absent].join('\n'),
      charts: stormCharts(figures),
      versions: await javaVersions(kafkaStreams),
      turns: settings.repeats,
    };
  },
};
