/** Who has each partition, as an instance says it: `GET /api/v1/owners/PIPELINE`. */
export interface OwnerMap {
  readonly partitionCount: number;
  /** Addresses of all instances that have any partition or standby. */
  readonly endpoints: readonly string[];
  /** undefined: no owner is known, or it has none. */
  endpointOf(partition: number): string | undefined;
  nameOf(partition: number): string | undefined;
}

interface Holder {
  readonly name: string;
  readonly endpoint: string;
}

export interface OwnersSaid {
  readonly partitionCount: number;
  readonly partitions: readonly {
    readonly partition: number;
    readonly owner: Holder | null;
    readonly standbys: readonly Holder[];
  }[];
}

export function instancesOf({ partitionCount, partitions }: OwnersSaid): OwnerMap {
  const owners = new Map(partitions.map(({ partition, owner }) => [partition, owner ?? undefined]));
  const all = partitions.flatMap(({ owner, standbys }) => [...(owner === null ? [] : [owner]), ...standbys]);
  return {
    partitionCount,
    endpoints: [...new Set(all.map(({ endpoint }) => endpoint).filter((endpoint) => endpoint !== ''))],
    endpointOf: (partition) => owners.get(partition)?.endpoint,
    nameOf: (partition) => owners.get(partition)?.name,
  };
}
