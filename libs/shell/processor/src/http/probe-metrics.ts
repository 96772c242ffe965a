// Metrics of probes (Q5), for who has them sent: without probes there are no samples.
import { PROBE_LEGS, type SilentOwner, type TaskStatus } from '@flatline/runtime';
import { Gauge, type Registry } from '@prometheus-io/client';
import { addCounter, addGauge, addHistogram, labelsOf } from './metric-views.ts';
import type { PipelineStatus } from './observed.ts';

export function addProbes(registry: Registry, tasks: () => readonly TaskStatus[]): void {
  addCounter(registry, {
    name: 'flatline_probes_total',
    help: 'Probes that went all the way, since the task has run here (Q5)',
    of: tasks,
    read: ({ probe }) => probe?.durations.count,
  });
  addHistogram(registry, {
    name: 'flatline_probe_duration_seconds',
    of: tasks,
    read: (task: TaskStatus) => task.probe?.durations,
    help: 'How long probes took from being sent to where readers see what was committed (Q5)',
  });
  addGauge(registry, {
    name: 'flatline_probe_stuck_seconds',
    help: 'For how long a probe has been under way that takes too long; 0: none does (Q5)',
    of: tasks,
    read: ({ probe }) => (probe === undefined ? undefined : (probe.stuck?.forMs ?? 0) / 1000),
  });
  registry.registerMetric(
    new Gauge({
      name: 'flatline_probe_stuck',
      help: '1 for the leg at which a probe is stuck, 0 for the others (Q5)',
      labelNames: ['pipeline', 'partition', 'leg'],
      registers: [],
      collect() {
        this.reset();
        for (const task of tasks())
          if (task.probe !== undefined)
            for (const leg of PROBE_LEGS) this.set({ ...labelsOf(task), leg }, task.probe.stuck?.leg === leg ? 1 : 0);
      },
    }),
  );
}

/** Partitions that another instance has, and this one looks after. */
export function addSilentOwners(registry: Registry, of: () => readonly PipelineStatus[]): void {
  const silent = (): (SilentOwner & { readonly pipeline: string })[] =>
    of().flatMap(({ name: pipeline, silentOwners }) => silentOwners.map((each) => ({ ...each, pipeline })));
  addGauge(registry, {
    name: 'flatline_silent_owner_seconds',
    help: 'For how long no probe of a partition was seen that another instance has, once that is too long (Q5)',
    of: silent,
    read: ({ forMs }) => forMs / 1000,
  });
}
