import type { Benchmark } from '../benchmark.ts';
import { over } from '../frame/frame.ts';
import { EVENT_FORMATS } from './event-load.ts';
import { figuresOf, throughputCharts, throughputText } from './throughput-report.ts';
import { measureThroughput, THROUGHPUT_DEFAULTS } from './throughput-benchmark.ts';

export const throughput: Benchmark = {
  name: 'throughput',
  description:
    "events per second and CPU second of the whole processor, beside kafkajs' consumer, our reader and peers",
  async run(options) {
    const settings = over(THROUGHPUT_DEFAULTS, options);
    const measurement = await measureThroughput(settings, options.formats ?? EVENT_FORMATS, options);
    const figures = measurement.formats.map((format) => figuresOf(format, measurement.contenders));
    return {
      figures: { ...measurement, figures },
      text: throughputText(measurement),
      charts: throughputCharts(figures),
      versions: measurement.versions,
      repeats: settings.repeats,
    };
  },
};
