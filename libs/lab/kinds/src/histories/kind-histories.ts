// What is asked of a kind for recorded histories: what they are recorded of, and how they are made wrong.
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

/** What needs room (I7). */
export interface RoomCase {
  /** Others than the first subject's; on `CreateTime` states of sessions are not reckoned. */
  readonly rules: Partial<CommonRules>;
  /** The first record of the key, and what comes then: with and without need of room. */
  readonly first: Sent;
  readonly growing: readonly Sent[];
  readonly others: readonly Sent[];
}

export interface KindHistories<Kind extends KindName> {
  /** Mutants are made of the first. */
  readonly subjects: readonly [NamedSubject<Kind>, ...NamedSubject<Kind>[]];
  readonly changes: readonly SettingsChange<Kind>[];
  readonly room: RoomCase;
  /** Histories made wrong in what is the kind's own. */
  readonly mutants: readonly HistoryMutant[];
  /** Whether its entries keep anything in pages: histories are then made wrong in those, too. */
  readonly hasPages: boolean;
  /** What a touch makes of a head. */
  readonly touched: HeadTouch;
}

export function json(value: object, headers?: Sent['headers']): Sent {
  return { value: JSON.stringify(value), ...(headers && { headers }) };
}
