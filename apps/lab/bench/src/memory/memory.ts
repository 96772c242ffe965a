import type { Benchmark } from '../benchmark.ts';
import { machineText, thisMachine } from '../machine.ts';
import { PopulationGround } from '../population/population-ground.ts';
import { CHURN_LIFE_MS, measureChurn, measurePopulation, type PopulationMemory } from './memory-benchmark.ts';
import { churnFigures, memoryCharts, memoryFigures, memoryText } from './memory-report.ts';

const POPULATIONS = [1_000_000, 10_000_000];
const PARTITIONS = 4;
const CHURNING_SESSIONS = 200_000;
/** Churn before it counts: buffers and the heap reach their size in some minutes. */
const WARM_MS = 10 * CHURN_LIFE_MS;

export const memory: Benchmark = {
  name: 'memory',
  description: 'resident memory per live session, and whether it stays while sessions come and go',
  async run({ sessions, partitions, minutes = 0, workDir, onProgress }) {
    const sizes = sessions === undefined ? POPULATIONS : [sessions];
    const { populations, samples } = await PopulationGround.with(
      { workDir, onProgress },
      partitions ?? PARTITIONS,
      async (ground) => {
        const populations: PopulationMemory[] = [];
        for (const size of sizes) populations.push(await measurePopulation(ground, size, onProgress));
        if (minutes === 0) return { populations, samples: [] };
        onProgress(`${CHURNING_SESSIONS.toLocaleString('en')} sessions that come and go for ${minutes} minutes`);
        const samples = await measureChurn(ground, CHURNING_SESSIONS, WARM_MS + 60_000 * minutes);
        return { populations, samples };
      },
    );
    const figures = populations.map(memoryFigures);
    const churn = samples.length === 0 ? undefined : churnFigures(samples, WARM_MS);
    return {
      figures: { figures, churn, populations, samples },
      text: [machineText(thisMachine()), '', memoryText(figures, churn)].join('\n'),
      charts: memoryCharts(figures),
    };
  },
};
