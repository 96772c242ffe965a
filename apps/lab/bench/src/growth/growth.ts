import type { Benchmark } from '../benchmark.ts';
import { machineText, thisMachine } from '../machine.ts';
import { PopulationGround } from '../population/population-ground.ts';
import { measureGrowth } from './growth-benchmark.ts';
import { growthCharts, growthFigures, growthText } from './growth-report.ts';

const POPULATIONS = [100_000, 1_000_000, 10_000_000, 15_000_000];
const DEFAULTS = { beats: 6_000_000, warmUpBeats: 1_500_000, beatsPerSecond: 100_000, repeats: 3, partitions: 4 };

export const growth: Benchmark = {
  name: 'growth',
  description: 'a heartbeat, a process and its restart with 100 thousand to 15 million live sessions',
  async run({ sessions, events, partitions, repeats, workDir, onProgress }) {
    const most = sessions ?? POPULATIONS.at(-1)!;
    const settings = {
      populations: [...POPULATIONS.filter((size) => size < most), most],
      beats: events ?? DEFAULTS.beats,
      warmUpBeats: DEFAULTS.warmUpBeats,
      beatsPerSecond: DEFAULTS.beatsPerSecond,
      repeats: repeats ?? DEFAULTS.repeats,
    };
    const rows = await PopulationGround.with({ workDir, onProgress }, partitions ?? DEFAULTS.partitions, (ground) =>
      measureGrowth(ground, settings, onProgress),
    );
    const figures = growthFigures(rows);
    return {
      figures: { settings, figures, rows },
      text: [machineText(thisMachine()), '', growthText(figures, settings)].join('\n'),
      charts: growthCharts(figures),
      turns: settings.repeats,
    };
  },
};
