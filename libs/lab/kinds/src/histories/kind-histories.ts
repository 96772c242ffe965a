// A kind's part in recorded histories: their subjects, and their mutants.
import type { KindName } from '@flatline/base';
import type { CommonRules } from '@flatline/oracle';
import type { HeadTouch } from '@flatline/oracle/anatomy';
import type { HistoryMutant } from './history-mutant.ts';
import type { HistorySubject } from './subject.ts';

export interface NamedSubject<Kind extends KindName = KindName> {
  readonly name: string;
  readonly subject: HistorySubject<Kind>;
}

/** Settings that are rolled out half-way through a history. */
export interface SettingsChange<Kind extends KindName = KindName> {
  readonly what: string;
  readonly subject: HistorySubject<Kind>;
  readonly changed: HistorySubject<Kind>;
}

export interface Sent {
  readonly value: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Records that need room (I7). */
export interface RoomCase {
  /** Overrides of the first subject's; on `CreateTime` the sizes of states are not computed, of kinds where they are. */
  readonly rules: Partial<CommonRules>;
  /** The first record of the key, and those that follow: with and without need of room. */
  readonly first: Sent;
  readonly growing: readonly Sent[];
  readonly others: readonly Sent[];
}

export interface KindHistories<Kind extends KindName> {
  /** The first is the base of the mutants. */
  readonly subjects: readonly [NamedSubject<Kind>, ...NamedSubject<Kind>[]];
  readonly changes: readonly SettingsChange<Kind>[];
  readonly room: RoomCase;
  /** Mutants of the kind's own parts. */
  readonly mutants: readonly HistoryMutant[];
  /** True if its entries use pages: histories are then made wrong in those, too. */
  readonly hasPages: boolean;
  /** Applies a touch to a head. */
  readonly touched: HeadTouch;
}

export function json(value: object, headers?: Sent['headers']): Sent {
  return { value: JSON.stringify(value), ...(headers && { headers }) };
}
