import { Counter, Gauge, Registry } from '@prometheus-io/client';
import { describedIn, type DescribedMetric } from './described-metric.ts';
import { mergedMetrics, type MetricsPart } from './merged-metrics.ts';
import type { WorkerRow } from './observed.ts';
import { addProcess } from './process-metrics.ts';

const STATES: readonly WorkerRow['state'][] = ['running', 'waiting', 'ended'];

/** Metrics that a supervisor exposes: about its workers, about itself, and those of its workers. */
export class SupervisorMetrics {
  readonly #own = new Registry();
  readonly #workers = new Registry();

  constructor(rows: () => readonly WorkerRow[]) {
    addProcess(this.#own);
    this.#workers.registerMetric(
      new Gauge({
        name: 'flatline_worker_state',
        help: '1 for the state a worker is in, 0 for the others',
        labelNames: ['worker', 'state'],
        registers: [],
        collect() {
          this.reset();
          for (const { worker, state } of rows())
            for (const each of STATES) this.set({ worker, state: each }, each === state ? 1 : 0);
        },
      }),
    );
    this.#workers.registerMetric(
      new Counter({
        name: 'flatline_worker_restarts_total',
        help: 'How often a worker was started again',
        labelNames: ['worker'],
        registers: [],
        collect() {
          this.reset();
          for (const { worker, restarts } of rows()) this.inc({ worker }, restarts);
        },
      }),
    );
  }

  /** Beside those of its process, which are as each worker's. */
  described(): readonly DescribedMetric[] {
    return describedIn(this.#workers);
  }

  /** `parts`: of the workers that answered. */
  async text(parts: readonly MetricsPart[]): Promise<string> {
    const workers = { worker: undefined, text: await this.#workers.metrics() };
    const own = { worker: 'supervisor', text: await this.#own.metrics() };
    return mergedMetrics([workers, ...parts, own]);
  }
}
