// What goes with each group offset, as the metadata of the commit that it is of (R3).
import type { CommitHeader } from '@flatline/partition';

/** What goes with each group offset: an independent witness of what was committed (R3). */
export interface OffsetNote {
  /** Partitions of the input: tells a task whose partition was added later. */
  readonly partitions: number;
  /** The commit that the offset is of. undefined: written before there was such a thing. */
  readonly sequence: number | undefined;
  readonly commitId: string | undefined;
}

type Noted = Pick<CommitHeader, 'inputPartitions' | 'sequence' | 'commitId'>;

export function noteOf({ inputPartitions, sequence, commitId }: Noted): string {
  return `partitions=${inputPartitions} commit=${sequence} ${commitId}`;
}

/** undefined where the metadata is not ours. */
export function committedIn(metadata: string): OffsetNote | undefined {
  const found = /^partitions=(\d{1,9})(?: commit=(\d{1,15}) (\S{1,100}))?$/.exec(metadata);
  if (found === null) return undefined;
  const [, partitions, sequence, commitId] = found;
  return { partitions: Number(partitions), sequence: sequence === undefined ? undefined : Number(sequence), commitId };
}
