// The note of each group offset: metadata that names the commit it is of (R3).
import type { CommitHeader } from '@flatline/partition';

/** Note of a group offset: an independent witness of what was committed (R3). */
export interface OffsetNote {
  /** Partitions of the input: tells a task whose partition was added later. */
  readonly partitions: number;
  /** The commit that the offset is of. undefined: written before there was such a thing. */
  readonly sequence: number | undefined;
  readonly commitId: string | undefined;
  /** Kind of the entries; undefined if the note does not say. */
  readonly kind: string | undefined;
  /** Epoch of the tokens that were granted last (L3). */
  readonly tokenEpoch: number;
}

type Noted = Pick<CommitHeader, 'inputPartitions' | 'sequence' | 'commitId'>;

/** A build from before kinds, or epochs, takes them for a part of the commit's id, which none but the committer looks at. */
export function noteOf({ inputPartitions, sequence, commitId }: Noted, kind?: string, tokenEpoch = 0): string {
  const ofEpoch = tokenEpoch === 0 ? '' : `;epoch=${tokenEpoch}`;
  const ofKind = kind === undefined ? '' : `,kind=${kind}`;
  return `partitions=${inputPartitions} commit=${sequence} ${commitId}${ofEpoch}${ofKind}`;
}

const NOTE =
  /^partitions=(\d{1,9})(?: commit=(\d{1,15}) ([^\s,;]{1,100})(?:;epoch=(\d{1,4}))?(?:,kind=([a-z]{1,20}))?)?$/;

/** undefined where the metadata is not ours. */
export function committedIn(metadata: string): OffsetNote | undefined {
  const found = NOTE.exec(metadata);
  if (found === null) return undefined;
  const [, partitions, sequence, commitId, epoch = '0', kind] = found as readonly (string | undefined)[];
  const number = sequence === undefined ? undefined : Number(sequence);
  return { partitions: Number(partitions), sequence: number, commitId, kind, tokenEpoch: Number(epoch) };
}
