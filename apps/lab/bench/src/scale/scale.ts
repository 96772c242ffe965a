import type { Benchmark } from '../benchmark.ts';
import { machineText, thisMachine } from '../machine.ts';
import { short } from '../text-table.ts';
import { measureScale } from './scale-benchmark.ts';
import { scaleChart, scaleFigures, scaleText } from './scale-report.ts';
import type { ScaleSettings } from './scale-scenario.ts';

const DEFAULTS: ScaleSettings = {
  events: 6_000_000,
  sessions: 200_000,
  partitions: 8,
  repeats: 3,
  instanceCounts: [1, 2, 4],
};

export const scale: Benchmark = {
  name: 'scale',
  description: 'events per CPU second of one instance, of two and of four that share the partitions',
  async run(options) {
    const settings: ScaleSettings = {
      events: options.events ?? DEFAULTS.events,
      sessions: options.sessions ?? DEFAULTS.sessions,
      partitions: options.partitions ?? DEFAULTS.partitions,
      repeats: options.repeats ?? DEFAULTS.repeats,
      instanceCounts: DEFAULTS.instanceCounts,
    };
    const costs = await measureScale(settings, options);
    const figures = scaleFigures(costs);
    const { events, sessions, partitions } = settings;
    const title = `${machineText(thisMachine())}; ${short(events)} bare heartbeats of ${short(sessions)} sessions, ${partitions} partitions`;
    return {
      figures: { settings, figures, costs },
      text: [title, '', scaleText(figures)].join('\n'),
      charts: [scaleChart(figures)],
      turns: settings.repeats,
    };
  },
};
