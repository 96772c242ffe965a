// Folds one input partition of leases into the output expected of it, for callers that have all of it.
import type { DurationMs } from '@flatline/base';
import { keyedRecord, type RawRecord } from '../../logs/raw-record.ts';
import { type EntriesFoldOptions, foldEntries } from '../fold-entries.ts';
import { leaseEntries } from './lease-reading.ts';
import type { LeaseFoldRules, Said } from './naive-lease.ts';

export interface LeaseFoldOptions {
  readonly partition: number;
  readonly rules: LeaseFoldRules;
  /** C8 */
  readonly heldTime: { readonly unheardMs: DurationMs; readonly maxHoldMs: DurationMs };
  /** True if the broker stamped the records, false if producers did. */
  readonly logAppendTime: boolean;
  /** I7. Default: as much as the product has. */
  readonly room?: EntriesFoldOptions['room'];
}

export interface FoldedLeases {
  /** Records of the output, by key as text, in order. */
  readonly said: ReadonlyMap<string, readonly Said[]>;
  /** Offsets of the records that belong in the dead letters. */
  readonly refused: readonly number[];
}

/** `records`: committed, in offset order. */
export function foldLeases(records: readonly RawRecord[], options: LeaseFoldOptions): FoldedLeases {
  const { partition, rules, heldTime, logAppendTime, room } = options;
  const input = records.map((record) => keyedRecord(record));
  const { saidByText, refused } = foldEntries(input, leaseEntries(partition, rules), {
    logAppendTime,
    heldTime,
    ...(room && { room }),
  });
  return { said: saidByText, refused };
}
