// What must come out of one input partition of leases, for callers that hold all of it.
import type { DurationMs, Millis } from '@flatline/base';
import { nameOf, textOf } from '../../logs/byte-names.ts';
import type { RawRecord } from '../../logs/raw-record.ts';
import { HeldGaps } from '../session/held-gaps.ts';
import { askedBy } from './lease-request.ts';
import { type LeaseFoldRules, NaiveLease, type Said } from './naive-lease.ts';

export interface LeaseFoldOptions {
  readonly partition: number;
  readonly rules: LeaseFoldRules;
  /** C8 */
  readonly heldTime: { readonly unheardMs: DurationMs; readonly maxHoldMs: DurationMs };
  /** Stamped by the broker, or by producers. */
  readonly logAppendTime: boolean;
}

export interface FoldedLeases {
  /** Records of the output, by key as text, in order. */
  readonly said: ReadonlyMap<string, readonly Said[]>;
  /** Offsets of the records that belong to the dead letters. */
  readonly refused: readonly number[];
}

/** `records`: committed, in offset order. */
export function foldLeases(records: readonly RawRecord[], options: LeaseFoldOptions): FoldedLeases {
  const { partition, rules, heldTime, logAppendTime } = options;
  const gaps = new HeldGaps(heldTime);
  const leases = new Map<string, { readonly text: string; readonly lease: NaiveLease }>();
  const refused: number[] = [];
  let clock: Millis = 0;
  for (const record of records) {
    const { key, value, timestamp, offset } = record;
    gaps.passed(clock, Math.max(clock, timestamp));
    clock = Math.max(clock, timestamp);
    // At once, so that nothing is said by gaps that come only later.
    for (const { lease } of leases.values()) lease.settle(clock);
    if (key === null) {
      const tellsTime = record.headers.some(({ name }) => name === 'flatline-clock') && !value?.length;
      if (!tellsTime) refused.push(offset);
      continue;
    }
    const name = nameOf(key);
    const text = textOf(key);
    const known = leases.get(name) ?? { text, lease: new NaiveLease(rules, gaps, { leaseId: text, partition }) };
    leases.set(name, known);
    const asked = askedBy(record);
    if (asked === 'bad') refused.push(offset);
    else known.lease.take(asked, { clock, effectiveAt: logAppendTime ? clock : timestamp, offset });
  }
  return { said: new Map([...leases.values()].map(({ text, lease }) => [text, lease.said])), refused };
}
