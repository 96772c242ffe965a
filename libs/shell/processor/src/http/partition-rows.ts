import type { StandbyStatus, TaskStatus } from '@flatline/runtime';
import type { PipelineStatus, ProcessView } from './observed.ts';

/** One partition as one process holds it. */
export type PartitionRow = {
  /** Number of the worker that holds it, where there are workers. */
  readonly worker?: number;
  /** Name of the instance that owns it; null where the group has not assigned it. */
  readonly owner: string | null;
  /** Names of the instances that hold a standby of it. */
  readonly standbys: readonly string[];
} & (({ readonly role: 'owner' } & Omit<TaskStatus, 'kept'>) | ({ readonly role: 'standby' } & StandbyStatus));

/** Every partition that the process owns or stands by for. */
export function partitionRows({ worker, instance, pipelines }: ProcessView): readonly PartitionRow[] {
  const rows = pipelines.flatMap((pipeline) => rowsOf(instance, pipeline));
  return worker === undefined ? rows : rows.map((row) => ({ worker, ...row }));
}

function rowsOf(
  instance: string,
  { tasks, standbys, instances }: Pick<PipelineStatus, 'tasks' | 'standbys' | 'instances'>,
): readonly PartitionRow[] {
  const standbysOf = (partition: number): string[] =>
    instances.filter((each) => each.standbys.includes(partition)).map(({ name }) => name);
  const ownerOf = (partition: number): string | null =>
    instances.find(({ partitions }) => partitions.includes(partition))?.name ?? null;
  return [
    ...tasks.map((task) => ({
      role: 'owner' as const,
      owner: instance,
      standbys: standbysOf(task.partition),
      ...withoutKept(task),
    })),
    ...standbys.map((standby) => ({
      role: 'standby' as const,
      owner: ownerOf(standby.partition),
      standbys: standbysOf(standby.partition),
      ...standby,
    })),
  ];
}

/** The kind's own state has a path of its own. */
function withoutKept(task: TaskStatus): Omit<TaskStatus, 'kept'> {
  const rest = Object.entries(task).filter(([name]) => name !== 'kept');
  return Object.fromEntries(rest) as unknown as Omit<TaskStatus, 'kept'>;
}
