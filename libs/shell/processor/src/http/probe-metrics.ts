// Metrics of probes (Q5), for who has them sent: without probes there are no samples.
import { type SilentOwner, type TaskStatus } from '@flatline/runtime';
import { Gauge, type Registry } from '@prometheus-io/client';
import { addGauge, addHistogram, addSummed, labelsOf, type Summands } from './metric-views.ts';
import type { PipelineStatus } from './observed.ts';

export function addProbes(registry: Registry, all: () => readonly Summands<TaskStatus>[]): void {
  const tasks = (): TaskStatus[] => all().flatMap(({ parts }) => parts);
  const probed = (): Summands<TaskStatus>[] =>
    all().filter(({ parts }) => parts.some(({ probe }) => probe !== undefined));
  addSummed(registry, {
    name: 'flatline_probes_total',
    help: 'Probes that went all the way, since the tasks have run here (Q5)',
    of: probed,
    read: ({ probe }) => probe?.durations.count,
  });
  addHistogram(registry, {
    name: 'flatline_probe_duration_seconds',
    of: probed,
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
      help: '1 for the leg at which a probe is stuck; no other leg has a sample (Q5)',
      labelNames: ['pipeline', 'partition', 'leg'],
      registers: [],
      collect() {
        this.reset();
        for (const task of tasks())
          if (task.probe?.stuck !== undefined) this.set({ ...labelsOf(task), leg: task.probe.stuck.leg }, 1);
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
