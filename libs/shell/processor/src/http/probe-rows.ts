// Findings of probes (Q5): how far they get on each partition here, and which other instances are silent.
import type { DurationMs } from '@flatline/base';
import type { ProbeLeg } from '@flatline/runtime';
import type { PipelineStatus, ProcessView } from './observed.ts';

export interface ProbeRow {
  readonly pipeline: string;
  readonly partition: number;
  readonly owner: string;
  /** `sound`: probes go all the way. `stuck`: one does not. `silent`: those of another instance are not seen. `none`: none was sent yet. */
  readonly state: 'sound' | 'stuck' | 'silent' | 'none';
  /** How long the last whole way took; null: none was gone since the task has run there. */
  readonly lastMs: DurationMs | null;
  /** Where it is stuck, for how long, and what it waits for there. */
  readonly leg: ProbeLeg | null;
  readonly forMs: DurationMs | null;
  readonly waitsFor: string | null;
}

/** Rows for every partition that the process has, and for each of others that it looks after and finds silent. */
export function probeRows({ instance, pipelines }: Pick<ProcessView, 'instance' | 'pipelines'>): readonly ProbeRow[] {
  return pipelines.flatMap((pipeline) => [...ownRows(instance, pipeline), ...silentRows(pipeline)]);
}

/** In words, where one is stuck or silent: one line for each, since the leg may be another in each. */
export function stuckOf(pipeline: Pick<PipelineStatus, 'name' | 'tasks' | 'silentOwners'>): string[] {
  return [
    ...pipeline.tasks.flatMap(({ partition, probe }) => {
      if (probe?.stuck === undefined) return [];
      const { leg, forMs, waitsFor } = probe.stuck;
      return [`${pipeline.name}/${partition}: a probe is stuck at ${leg} for ${inSeconds(forMs)} s: ${waitsFor}`];
    }),
    ...pipeline.silentOwners.map(
      ({ partition, owner, forMs, detail }) =>
        `${pipeline.name}/${partition}, which ${owner} has: no probe is seen for ${inSeconds(forMs)} s: ${detail}`,
    ),
  ];
}

function inSeconds(ms: DurationMs): string {
  return (ms / 1_000).toFixed(1);
}

function ownRows(owner: string, { name: pipeline, tasks }: PipelineStatus): ProbeRow[] {
  return tasks.flatMap(({ partition, probe }): ProbeRow[] => {
    if (probe === undefined) return [];
    const { lastMs = null, stuck } = probe;
    const { leg = null, forMs = null, waitsFor = null } = stuck ?? {};
    const state = stuck !== undefined ? 'stuck' : lastMs === null ? 'none' : 'sound';
    return [{ pipeline, partition, owner, state, lastMs, leg, forMs, waitsFor }];
  });
}

function silentRows({ name: pipeline, silentOwners }: PipelineStatus): ProbeRow[] {
  return silentOwners.map(({ partition, owner, forMs, detail }) => ({
    pipeline,
    partition,
    owner,
    state: 'silent',
    lastMs: null,
    leg: null,
    forMs,
    waitsFor: detail,
  }));
}
