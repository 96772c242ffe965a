// The records of deliveries, read by docs/FORMATS.md: what is kept of one, and what was given up.
import type { Millis } from '@flatline/base';
import { headerOf, keyTextOf } from '../rules/deliveries/logged-delivery.ts';
import type { DeliveryEvidence, JudgedEndpoint } from './evidence.ts';
import type { Output } from './outputs.ts';

export interface FailedAttempt {
  readonly at: Millis;
  readonly answer?: string;
  readonly error?: string;
  readonly status?: number;
}

export interface Written {
  readonly kind: 'keep' | 'drop' | 'wake';
  readonly at: Millis;
  readonly attempts: readonly FailedAttempt[];
  readonly phase: string;
  /** When it comes out, by the log: of what is kept, or woken. */
  readonly dueAt: Millis;
}

interface GivenUp {
  readonly id: string;
  readonly at: Millis;
  readonly why: string | undefined;
  readonly attempts: number;
}

/** Returns the records of a delivery, in the order of the log. */
export function writtenOf(
  { name }: Pick<JudgedEndpoint, 'name'>,
  { id, partition }: Output,
  { kept }: DeliveryEvidence,
): Written[] {
  return kept[partition]!.flatMap((record): Written[] => {
    if (keyTextOf(record) !== `${name}/${id}`) return [];
    const { timestamp: at, value } = record;
    if (value === null) return [{ kind: 'drop', at, attempts: [], phase: '', dueAt: Infinity }];
    if (headerOf(record, 'flatline-command') !== undefined)
      return [{ kind: 'wake', at, attempts: [], phase: '', dueAt: at }];
    const { attempts, phase } = JSON.parse(headerOf(record, 'delivery')!) as Pick<Written, 'attempts' | 'phase'>;
    return [{ kind: 'keep', at, attempts, phase, dueAt: at + Number(headerOf(record, 'flatline-delay-ms')) }];
  });
}

/**
 * When the log says that it is done with; Infinity: never. What is due by the record that drops it has come out (S3): another has taken
 * its place too late, so it is attempted, unless it was delivered or given up by then, which is at `overAt`.
 */
export function droppedAtOf(written: readonly Written[], overAt: Millis): Millis {
  const drop = written.find(({ kind, at }, i) => {
    if (kind !== 'drop') return false;
    const dueAt = written.slice(0, i).findLast((each) => each.kind !== 'drop')?.dueAt ?? Infinity;
    return overAt <= at || dueAt > at;
  });
  return drop?.at ?? Infinity;
}

export function givenUpBy(
  { name }: Pick<JudgedEndpoint, 'name'>,
  { undeliverable }: Pick<DeliveryEvidence, 'undeliverable'>,
): GivenUp[] {
  return undeliverable.flat().flatMap((record) => {
    const said = JSON.parse(headerOf(record, 'delivery') ?? '{}') as {
      endpoint?: string;
      id?: string;
      attempts?: unknown[];
    };
    if (said.endpoint !== name) return [];
    return [
      { id: said.id!, at: record.timestamp, why: headerOf(record, 'reason'), attempts: said.attempts?.length ?? 0 },
    ];
  });
}
