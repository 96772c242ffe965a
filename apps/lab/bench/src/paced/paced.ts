import type { Benchmark } from '../benchmark.ts';
import { machineText, thisMachine } from '../machine.ts';
import { javaVersions, lookUpPeer } from '../peers/peer.ts';
import { PopulationGround } from '../population/population-ground.ts';
import { short } from '../text-table.ts';
import { measurePaced, type PacedSettings } from './paced-benchmark.ts';
import { COMMIT_INTERVAL_MS, pacedContenders } from './paced-contenders.ts';
import { pacedCharts, pacedFigures, pacedText } from './paced-report.ts';

const POPULATIONS = [1_000_000, 10_000_000];
const DEFAULTS = { eventsPerSecond: 100_000, repeats: 3, partitions: 4 };

export const paced: Benchmark = {
  name: 'paced',
  description: 'CPU per heartbeat at the same rate for everyone, 1 and 10 million live sessions, beside Kafka Streams',
  async run(options) {
    const { sessions, repeats, workDir, onProgress } = options;
    const kafkaStreams = await lookUpPeer('kafka-streams', options);
    const contenders = pacedContenders(kafkaStreams);
    const { eventsPerSecond } = DEFAULTS;
    const partitions = options.partitions ?? DEFAULTS.partitions;
    const settings: PacedSettings = {
      populations: sessions === undefined ? POPULATIONS : [sessions],
      eventsPerSecond,
      repeats: repeats ?? DEFAULTS.repeats,
    };
    const turns = await PopulationGround.with({ workDir, onProgress }, partitions, (ground) =>
      measurePaced(ground, contenders, settings, onProgress),
    );
    const figures = pacedFigures(turns, eventsPerSecond);
    return {
      figures: { settings, figures, turns },
      text: [
        machineText(thisMachine()),
        `${short(eventsPerSecond)} bare heartbeats a second of random sessions, ${partitions} partitions, commits every ${COMMIT_INTERVAL_MS} ms`,
        '',
        pacedText(figures),
        '',
        'CPU of the whole process over 30 s, after 15 s of the same to warm up, per event committed in them; medians, least to most in',
        "brackets; RSS: at the end, pages of a store's file included. Who cannot keep up says so.",
        ...contenders.map(({ name, does }) => `${name}: ${does}`),
        ...(kafkaStreams.kind === 'missing' ? [`not run: Kafka Streams: ${kafkaStreams.why}`] : []),
      ].join('\n'),
      charts: pacedCharts(figures),
      versions: await javaVersions(kafkaStreams),
      turns: settings.repeats,
    };
  },
};
