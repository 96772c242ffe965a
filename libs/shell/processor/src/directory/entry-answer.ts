// One key's answer, as HTTP gives it (docs/OPERATIONS.md).
import type { KindName, Mutable } from '@flatline/base';
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
  const first = answer.kind === 'found' ? answer.entries[0] : undefined;
  // Set one by one, in the order in which JSON says them: a spread of several objects costs several times as much, for each key.
  const said: Partial<Mutable<EntryAnswer>> = { ...first };
  const { key: text, keyBase64 } = keyFields(key);
  said.key = text;
  if (keyBase64 !== undefined) said.keyBase64 = keyBase64;
  said.pipeline = pipeline;
  said.kind = kind;
  said.partition = partition;
  if (owner !== undefined) said.owner = owner.name;
  if (answer.kind === 'found') {
    const { entries, asOf, from } = answer;
    said.state = first === undefined ? 'none' : 'live';
    if (entries.length > 1) said.entries = entries;
    said.asOf = asOf;
    said.from = from;
    if (from === 'standby') said.lagMs = Math.max(0, wallMs - asOf.clock);
  } else {
    said.state = answer.kind;
    said.detail = answer.detail;
    said.retryAfterMs = RETRY_MS[answer.kind];
  }
  return said as EntryAnswer;
}
