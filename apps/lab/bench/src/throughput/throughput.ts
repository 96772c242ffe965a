import type { Benchmark } from '../benchmark.ts';
import { EVENT_FORMATS } from './event-load.ts';
import { figuresOf, throughputCharts, throughputText } from './throughput-report.ts';
import { measureThroughput, THROUGHPUT_DEFAULTS } from './throughput-benchmark.ts';

export const throughput: Benchmark = {
  name: 'throughput',
  description:
    "events per second and CPU second of the whole processor, beside kafkajs' consumer, our reader and peers",
  async run(options) {
    const { events, sessions, partitions, repeats, formats = EVENT_FORMATS } = options;
    const defaults = THROUGHPUT_DEFAULTS;
    const settings = {
      events: events ?? defaults.events,
      warmUpShare: defaults.warmUpShare,
      sessions: sessions ?? defaults.sessions,
      partitions: partitions ?? defaults.partitions,
      repeats: repeats ?? defaults.repeats,
      commitIntervalMs: defaults.commitIntervalMs,
    };
    const measurement = await measureThroughput(settings, formats, options);
    const figures = measurement.formats.map((format) => figuresOf(format, measurement.contenders));
    return {
      figures: { ...measurement, figures },
      text: throughputText(measurement),
      charts: throughputCharts(figures),
      versions: measurement.versions,
      turns: settings.repeats,
    };
  },
};
