// Folds one input partition into the output expected of it, for callers that have all of it: the simulation, the faults on a real
// broker, and tests of the product. The checker uses the same fold commit by commit.
import type { Millis } from '@flatline/base';
import type { InputRecord, PipelineRules } from '../../logs/history.ts';
import type { ExpectedClose } from './expected-close.ts';
import { EntriesFold } from '../entries-fold.ts';
import { asRefused } from '../input-fold.ts';
import { type ExpectedStats, NaiveStats } from '../statistics/naive-stats.ts';
import { sessionEntries, watching } from './session-reading.ts';
import type { Session } from './session-state.ts';

export interface FoldOptions {
  readonly partition: number;
  readonly rules: PipelineRules;
  /** Records below it do not count (R3). Default: 0. */
  readonly origin?: number;
  /**
   * Returns why a record is refused that only its maker knows to be bad: its stamp is too far ahead of the present at that time (and
   * moves no clock, C6), or its content decodes and still fails (I6). Default: none is.
   */
  readonly refusalOf?: (record: InputRecord) => 'stamp' | 'content' | undefined;
  /** C3: the clock behind the last record, moved by evidence that is in no record. Default: no such evidence. */
  readonly clockAtEnd?: Millis;
  /** True to close the sessions open at the end as of their deadlines, as if their silence were proved. Default: false. */
  readonly closesAll?: boolean;
}

/** A summary's fields as JSON has them, without `emittedAt` and without empty ones. */
export type FoldedSummary = Readonly<Record<string, unknown>> & { readonly incarnation: string };

/** Position and clock of the fold after a record. */
export interface FoldedStep {
  readonly offset: number;
  readonly clock: Millis;
  /** Incarnations opened so far. */
  readonly opened: number;
}

export interface OpenSession extends Pick<Session, 'firstOffset' | 'lastOffset' | 'lastSeenAt' | 'eventCount'> {
  readonly deadlineAt: Millis;
}

export interface FoldedWord {
  /** A tombstone that stands alone has the `state` `FINAL`, key and incarnation, and no more. */
  readonly summary: FoldedSummary;
  /** Nothing more comes of the incarnation: it is a tombstone, or one follows at once. */
  readonly isFinal: boolean;
}

export interface Folded {
  readonly summaries: readonly FoldedSummary[];
  /** These, and tombstones that stand alone, in their order (S9). */
  readonly said: readonly FoldedWord[];
  /** Sessions open at the end, by key as text, if the clock stays where it is. */
  readonly open: ReadonlyMap<string, OpenSession>;
  /** Offsets of the records that belong in the dead letters. */
  readonly refused: readonly number[];
  readonly steps: readonly FoldedStep[];
  /** Statistics of the windows that are over (S12). */
  readonly stats: readonly ExpectedStats[];
}

/** `records`: committed, in offset order. */
export function foldInput(records: Iterable<InputRecord>, options: FoldOptions): Folded {
  const { partition, rules, origin = 0, clockAtEnd = 0, closesAll = false } = options;
  const counts = { opened: 0, duplicates: 0, badRecords: 0, clockRecords: 0, formerTypeRecords: 0 };
  const closes: ExpectedClose[] = [];
  const onSaid = (_key: Uint8Array, said: readonly ExpectedClose[]): void => {
    closes.push(...said);
  };
  const stats = new NaiveStats(partition, rules.stats);
  const watcher = watching(stats);
  const fold = new EntriesFold({ rules, counts, kind: sessionEntries(partition, rules), onSaid, watcher });
  const steps: FoldedStep[] = [];
  for (const record of records) {
    if (record.offset < origin || fold.isFormer(record)) continue;
    take(fold, record, options);
    steps.push({ offset: record.offset, clock: fold.clock, opened: counts.opened });
  }
  fold.advance(clockAtEnd);
  if (closesAll) fold.endLives();
  return {
    summaries: closes.filter(({ state }) => state !== 'FINAL').map(summaryOf),
    said: closes.map((close) => ({ summary: summaryOf(close), isFinal: isFinal(close) })),
    open: new Map([...fold.lives()].map(({ text, dueAt, state }) => [text, { deadlineAt: dueAt, ...state }])),
    refused: fold.takeBad(),
    steps,
    stats: stats.takeExpected(),
  };
}

function take(
  fold: EntriesFold<Session, ExpectedClose>,
  record: InputRecord,
  { refusalOf }: Pick<FoldOptions, 'refusalOf'>,
): void {
  const refusal = refusalOf?.(record);
  if (refusal === 'stamp') fold.refuse(record);
  else fold.record(refusal === 'content' ? asRefused(record) : record);
}

function isFinal({ state, isRevisable }: ExpectedClose): boolean {
  return state === 'FINAL' || (state === 'CLOSED' && !isRevisable);
}

function summaryOf({ incarnation, summary }: ExpectedClose): FoldedSummary {
  const fields = [...summary].filter(([, value]) => value !== undefined);
  const plain = fields.map(([name, value]): [string, unknown] => [
    name,
    value instanceof Map ? objectOf(value) : value,
  ]);
  return { ...(Object.fromEntries(plain) as Readonly<Record<string, unknown>>), incarnation };
}

function objectOf(map: ReadonlyMap<unknown, unknown>): Readonly<Record<string, unknown>> {
  return Object.fromEntries([...map].map(([name, value]): [string, unknown] => [String(name), value]));
}
