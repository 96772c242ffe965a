// One key's answer, as HTTP gives it (docs/OPERATIONS.md).
import type { KindName } from '@flatline/base';
import type { ShownEntry } from '@flatline/kinds';
import type { AsOf } from '@flatline/runtime';
import { type KeyFields, keyFields } from './entry-json.ts';
import type { HereAnswer, HereAnswers } from './here.ts';

/** Beside these the fields of the entry, by the names of docs/FORMATS.md. */
export interface EntryAnswer extends KeyFields {
  readonly pipeline: string;
  readonly kind: KindName;
  readonly state: 'live' | 'none' | 'moving' | 'restoring';
  readonly partition: number;
  readonly asOf?: AsOf;
  readonly from?: 'owner' | 'standby';
  /** How far a standby's clock is behind this machine's. */
  readonly lagMs?: number;
  /** Name of the instance that has the partition; absent where the group knows none. */
  readonly owner?: string;
  /** All that the key has, where that may be several: the fields beside are those of the first. */
  readonly entries?: readonly ShownEntry[];
  /** Why it cannot be said, where it cannot. */
  readonly detail?: string;
  readonly retryAfterMs?: number;
}

/** A rebalance takes seconds, a commit some milliseconds. */
const RETRY_MS = { moving: 1_000, restoring: 500 } as const;

export function entryAnswer(
  { pipeline, key, wallMs }: { readonly pipeline: string; readonly key: Uint8Array; readonly wallMs: number },
  { kind }: Pick<HereAnswers, 'kind'>,
  answer: HereAnswer,
): EntryAnswer {
  const { partition, owner } = answer;
  const common = { ...keyFields(key), pipeline, kind, partition, ...(owner && { owner: owner.name }) };
  if (answer.kind !== 'found')
    return { ...common, state: answer.kind, detail: answer.detail, retryAfterMs: RETRY_MS[answer.kind] };
  const { entries, asOf, from } = answer;
  const [first] = entries;
  return {
    ...first,
    ...common,
    state: first === undefined ? 'none' : 'live',
    ...(entries.length > 1 && { entries }),
    asOf,
    from,
    ...(from === 'standby' && { lagMs: Math.max(0, wallMs - asOf.clock) }),
  };
}
