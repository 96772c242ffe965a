// The frame of a benchmark: options over its defaults, the contenders available here, a broker, turns and the report. A benchmark adds
// its plan: its settings, contenders and measurement, and its page of the figures.
import { type BenchCluster, onBenchCluster } from '../bench-cluster.ts';
import type { Benchmark, BenchmarkOptions, Sizes } from '../benchmark.ts';
import { machineText, thisMachine } from '../machine.ts';
import { type Described, type LineUp, NO_PEERS } from './line-up.ts';
import { type Page, pageText } from './page.ts';

/** A broker, and the parent folder of state directories. */
export interface Surroundings extends BenchCluster {
  readonly workDir: string;
  readonly onProgress: (what: string) => void;
}

/** Settings, and the surroundings in which they are measured. */
export type Ground<Settings = object> = Settings & Surroundings;

export interface BenchmarkPlan<Settings extends object, Contender extends Described, Measured extends object, Row> {
  readonly name: string;
  readonly description: string;
  settings(options: BenchmarkOptions): Settings;
  /** Undefined: Flatline alone. */
  lineUp?(options: BenchmarkOptions): Promise<LineUp<Contender>>;
  /** The conditions of all figures, in one line. */
  conditions?(settings: Settings): string;
  measure(ground: Ground<Settings>, contenders: readonly Contender[]): Promise<Measured>;
  /** Rows are the figures, which the page shows. */
  report(measured: Measured, settings: Settings): { readonly rows: readonly Row[]; readonly page: Page<Row> };
}

/** @throws by its `run`: Fatal, Retriable if no broker can be started; any error of its measurement */
export function framed<Settings extends object, Contender extends Described, Measured extends object, Row>(
  plan: BenchmarkPlan<Settings, Contender, Measured, Row>,
): Benchmark {
  const { name, description } = plan;
  return {
    name,
    description,
    async run(options) {
      const { workDir, onProgress } = options;
      const settings = plan.settings(options);
      const lineUp = (await plan.lineUp?.(options)) ?? { ...NO_PEERS, contenders: [] };
      const { contenders, versions } = lineUp;
      const measured = await onBenchCluster({ onProgress }, (cluster) =>
        plan.measure({ ...settings, ...cluster, workDir, onProgress }, contenders),
      );
      const { rows: figures, page } = plan.report(measured, settings);
      const { failures = [], ...results } = measured as Measured & { readonly failures?: readonly string[] };
      const absent = [...lineUp.absent, ...failures].map((each) => `not run: ${each}`);
      const conditions = plan.conditions?.(settings);
      const head = [machineText(thisMachine()), ...(conditions === undefined ? [] : [conditions])];
      const notes = [...contenders.map((each) => `${each.name}: ${each.does}`), ...absent];
      return {
        figures: { settings, figures, ...results, versions, absent },
        text: [
          ...head,
          ...(versions.length === 0 ? [] : [versions.join(', ')]),
          '',
          pageText(page, figures),
          ...(notes.length === 0 ? [] : ['', ...notes]),
        ].join('\n'),
        charts: page.charts?.(figures) ?? [],
        versions,
        ...('repeats' in settings ? { repeats: settings.repeats as number } : {}),
      };
    },
  };
}

/** The defaults, replaced by options of the same name. */
export function over<Defaults extends Partial<Record<keyof Sizes, number>>>(
  defaults: Defaults,
  { events, sessions, partitions, repeats }: Sizes,
): Defaults {
  const given = Object.entries({ events, sessions, partitions, repeats });
  return {
    ...defaults,
    ...Object.fromEntries(given.filter(([name, value]) => value !== undefined && name in defaults)),
  };
}
