import type { Benchmark } from '../benchmark.ts';
import { machineText, thisMachine } from '../machine.ts';
import { javaVersions, lookUpPeer } from '../peers/peer.ts';
import { short } from '../text-table.ts';
import { measureRestore } from './restore-benchmark.ts';
import { restoreContenders } from './restore-contenders.ts';
import { restoreCharts, restoreFigures, restoreText } from './restore-report.ts';

const DEFAULTS = { sessions: 1_000_000, partitions: 4, repeats: 3 };

export const restore: Benchmark = {
  name: 'restore',
  description:
    'how fast an instance runs again after a clean stop, kill −9 and the loss of its disk, beside Kafka Streams',
  async run(options) {
    const kafkaStreams = await lookUpPeer('kafka-streams', options);
    const settings = {
      sessions: options.sessions ?? DEFAULTS.sessions,
      partitions: options.partitions ?? DEFAULTS.partitions,
      repeats: options.repeats ?? DEFAULTS.repeats,
    };
    const rows = await measureRestore(settings, kafkaStreams, options);
    const figures = rows.map(restoreFigures);
    const contenders = restoreContenders(kafkaStreams).map(({ name, does }) => `${name}: ${does}`);
    const absent = kafkaStreams.kind === 'missing' ? [`not run: Kafka Streams: ${kafkaStreams.why}`] : [];
    const title = `${machineText(thisMachine())}; ${short(settings.sessions)} sessions, ${settings.partitions} partitions`;
    return {
      figures: { settings, figures, absent, rows },
      text: [title, '', restoreText(figures), '', ...contenders, ...absent].join('\n'),
      charts: restoreCharts(figures),
      versions: await javaVersions(kafkaStreams),
      turns: settings.repeats,
    };
  },
};
