import type { InstancePartitions } from '@flatline/ports';
import type { Holder } from './here.ts';

/** Who has which partition of a pipeline, as of the newest assignment that is known here. */
export interface OwnerRows {
  readonly pipeline: string;
  /** A key's partition is murmur2 of its bytes modulo this, as Kafka's default partitioner has it. */
  readonly partitionCount: number;
  readonly partitions: readonly OwnerRow[];
}

export interface OwnerRow {
  readonly partition: number;
  /** null: the group knows none. */
  readonly owner: Holder | null;
  readonly standbys: readonly Holder[];
}

/** The part of a process that is asked. */
export interface OwningProcess {
  readonly pipelines: readonly {
    readonly name: string;
    readonly inputPartitions: number;
    readonly instances: readonly InstancePartitions[];
  }[];
}

/** undefined: none of them has the pipeline. */
export function ownerRows(processes: readonly OwningProcess[], pipeline: string): OwnerRows | undefined {
  const views = processes.flatMap(({ pipelines }) => pipelines.filter(({ name }) => name === pipeline));
  const [first] = views;
  if (first === undefined) return undefined;
  const { inputPartitions: partitionCount } = first;
  // One that has just started knows of no assignment yet.
  const { instances } = views.find((view) => view.instances.length > 0) ?? first;
  const holder = ({ name, endpoint }: Holder): Holder => ({ name, endpoint });
  const partitions = Array.from({ length: partitionCount }, (_, partition) => {
    const owner = instances.find((each) => each.partitions.includes(partition));
    const standbys = instances.filter((each) => each.standbys.includes(partition)).map(holder);
    return { partition, owner: owner === undefined ? null : holder(owner), standbys };
  });
  return { pipeline, partitionCount, partitions };
}
