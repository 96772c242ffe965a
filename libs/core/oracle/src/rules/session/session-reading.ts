// Sessions, as the judges read them (docs/FORMATS.md, Summaries).
import type { OutputRecord, PipelineRules } from '../../logs/history.ts';
import { EntriesFold, type FoldWatcher } from '../entries-fold.ts';
import type { EntryRules, Expectation } from '../entry-rules.ts';
import type { FaultWords } from '../fault-words.ts';
import { incarnationFaults } from '../headers.ts';
import type { FoldCounts } from '../input-fold.ts';
import type { EntryFault, Ending, KindFold, KindReading, OutputWords } from '../reading.ts';
import { saidOutput } from '../said-output.ts';
import { inputOf, nameAt, placeIn, placeOf } from '../../logs/places.ts';
import { type ExpectedClose, summaryDifferences } from './expected-close.ts';
import { NaiveSession, openIn } from './naive-session.ts';
import { NaiveStats } from '../statistics/naive-stats.ts';
import { touchedHead } from './session-head.ts';
import { differences, readImage } from './session-image.ts';
import { needsRoom } from './session-room.ts';
import type { Session } from './session-state.ts';
import { stateSize } from './state-size.ts';

export function sessionReading(partition: number, rules: PipelineRules, counts: FoldCounts): KindReading {
  const stats = new NaiveStats(partition, rules.stats);
  const fold: KindFold = new EntriesFold({
    rules,
    counts,
    kind: sessionEntries(partition, rules),
    watcher: watching(stats),
  });
  const words = { ...SUMMARIES, mayBeRevisable: () => hasWindow(rules) };
  return { plural: 'sessions', fold, words, touched: touchedHead, stats };
}

export function watching(stats: NaiveStats): FoldWatcher<Session, ExpectedClose> {
  let clock = 0;
  const close = (said: readonly ExpectedClose[]): (() => void)[] =>
    firstCloses(said).map(({ incarnation, summary }) => stats.closed(placeIn(incarnation), summary));
  return {
    passed: (now, atLeast) => {
      clock = now;
      stats.isUnsure ||= stats.counts && atLeast < now;
      stats.over(now);
    },
    took: (before, after, said) => {
      const left = new Map(countedIn(after).map((session) => [session.firstOffset, valuesIn(session)]));
      for (const { incarnation, summary } of firstCloses(said))
        left.set(placeIn(incarnation), summary.get('attributes') as ReadonlyMap<string, string>);
      for (const session of countedIn(before)) {
        const { firstOffset } = session;
        const values = left.get(firstOffset);
        if (values === undefined) stats.gone(firstOffset, valuesIn(session), clock);
        else stats.changed(firstOffset, valuesIn(session), values, clock);
        left.delete(firstOffset);
      }
      for (const values of left.values()) stats.opened(values, clock);
      close(said);
    },
    lapsed: (said) => {
      const undo = close(said);
      return () => {
        for (const each of undo) each();
      };
    },
  };
}

/** True if the session of a revision has closed before (S9). */
function firstCloses(said: readonly ExpectedClose[]): readonly ExpectedClose[] {
  return said.filter(({ state, revision }) => state === 'CLOSED' && revision === 0);
}

/** The open sessions of a key (S12): early data is none yet (S8), and what waits for revisions none any more (S9). */
function countedIn(state: Session | undefined): readonly Session[] {
  return state === undefined || state.isEarly || state.closed !== undefined ? [] : openIn(state);
}

function valuesIn({ attributes }: Session): ReadonlyMap<string, string> {
  return new Map([...attributes].map(([name, { value }]) => [name, value]));
}

export function sessionEntries(partition: number, rules: PipelineRules): EntryRules<Session, ExpectedClose> {
  return {
    machine: (key, gaps) => new NaiveSession(rules, gaps, { partition, key }),
    expect: expectation,
    stateIn: ({ image }) => readImage(image),
    needsRoom: (record, state, clock) => needsRoom(record, state, clock, rules),
    stateBytes: stateSize,
    weighsExactly: true,
    growthAtMost: hasWindow(rules) ? CLOSE_GROWTH : 0,
    differences,
    faults: wordsOf(partition),
    // With a grace a key may have several, which end one after the other; with a window one closes, and then ends.
    get isOneLife() {
      return rules.graceMs === 0 && !hasWindow(rules);
    },
    get isEvictable() {
      return rules.inputs === undefined;
    },
    beginningOf: (state) => Math.max(...openIn(state).map(({ firstOffset }) => firstOffset)),
    isBegun: ({ isEarly, closed }) => !isEarly && closed === undefined,
    // A summary is the only record of its session: it may come where that is what the session says next.
    instantOf: () => undefined,
    latestOffsetOf: (record) => placeOf(inputOf(SUMMARIES.beginningOf(record)), Number(record.summary?.['lastOffset'])),
    whyEarly: (record, { state, dueAt, clock }) =>
      state.closed === undefined &&
      openIn(state).some(({ firstOffset }) => SUMMARIES.beginningOf(record) === firstOffset)
        ? `it is open: its deadline is ${dueAt}, the clock of this commit ${clock}`
        : undefined,
  };
}

/** Bytes that a closing session needs, and does not ask for (S9). */
const CLOSE_GROWTH = 60;

/** S9 */
function hasWindow({ revisionWindowMs = 0 }: PipelineRules): boolean {
  return revisionWindowMs > 0;
}

function wordsOf(partition: number): FaultWords<Session> {
  const incarnationOf = ({ firstOffset, isEarly, closed }: Session): string =>
    isEarly
      ? 'early data'
      : `${nameAt(partition, firstOffset)}${closed === undefined ? '' : ', closed and revisable,'}`;
  return {
    surplus: (found, returns) =>
      `the changelog holds the incarnation ${incarnationOf(found)}, which the input ${returns ? 'had closed before: it returns' : 'does not leave open'}`,
    lacking: (session, position) => `the changelog lacks ${incarnationOf(session)}, open at position ${position}`,
    early: ({ state, dueAt, clock }, position) =>
      `${incarnationOf(state)} was closed early: no record below position ${position} has reached its deadline ` +
      `${dueAt}, the clock was ${clock}`,
    overdue: ({ state, dueAt, clock }) =>
      `${incarnationOf(state!)} is not closed: its deadline ${dueAt} has passed, the clock is ${clock}`,
  };
}

const ENDINGS: Readonly<Record<string, Ending>> = {
  ENDED: 'ends',
  TIMEOUT: 'timeouts',
  MAX_DURATION: 'maxDurations',
  EVICTED: 'evictions',
};

function expectation(close: ExpectedClose): Expectation {
  const { state, reason, deadlineAt, revision, isRevisable } = close;
  const id = nameOf(close);
  if (state === 'FINAL') {
    const said = { id, at: undefined, why: 'it can be revised no more', ending: undefined };
    return { ...said, isTombstone: true, compare: () => undefined };
  }
  return {
    id,
    at: undefined,
    why: `${reason || state}, deadline ${deadlineAt}`,
    // A session closes once, however often that is said.
    ending: revision === 0 ? ENDINGS[reason] : undefined,
    isRevisable,
    compare: (record) => compared(record, close),
  };
}

function compared({ summary = {} }: OutputRecord, close: ExpectedClose): EntryFault | undefined {
  const different = summaryDifferences(summary, close);
  if (different.length === 0) return undefined;
  const closedAt = summary['closedAt'];
  const isEarly = typeof closedAt === 'number' && closedAt < close.closedAtLeast;
  const what = `the summary of ${close.incarnation} ${isEarly ? 'closes it early' : 'differs from the input'}: ${different.join('; ')}`;
  return { rule: isEarly ? 'V3' : 'V4', what };
}

type Named = Pick<ExpectedClose, 'state' | 'incarnation' | 'lastSeenAt' | 'revision'>;

/** A summary by its incarnation and revision, what is said while it lives by when it was last seen, too: later each time (S11). */
function nameOf({ state, incarnation, lastSeenAt, revision }: Named): string {
  if (state === 'FINAL') return finalName(incarnation);
  if (state !== 'CLOSED') return `${incarnation} ${state} ${lastSeenAt}`;
  return revision === 0 ? incarnation : `${incarnation} revision ${revision}`;
}

function finalName(incarnation: string): string {
  return `${incarnation} final`;
}

const SUMMARIES: OutputWords = {
  idOf: (record) => {
    const incarnation = incarnationIn(record);
    if (incarnation === undefined) return undefined;
    const said: Readonly<Record<string, unknown>> = record.summary ?? {};
    const { state, lastSeenAt, revision = 0 } = said;
    const isLive = state === 'OPENED' || state === 'UPDATED';
    return nameOf({
      state: isLive ? state : 'CLOSED',
      incarnation,
      lastSeenAt: Number(lastSeenAt),
      revision: Number(revision),
    });
  },
  finalOf: ({ incarnation }) => incarnation && finalName(incarnation),
  // Words about a live session are followed by no tombstone.
  lastOf: (record) => (isOfLive(record) ? undefined : incarnationIn(record)),
  contradictions: (record) => incarnationFaults(record, incarnationIn(record)),
  saidIn: (record) =>
    saidOutput(record, (text) => [text('reason'), text('state'), `session.${text('state').toLowerCase()}`]),
  sentAs: (record) => {
    const { incarnation, state, revision = 0, lastOffset }: Readonly<Record<string, unknown>> = record.summary ?? {};
    return isOfLive(record) ? [incarnation, state, lastOffset] : [incarnation, revision];
  },
  beginningOf: (record) => {
    return placeIn((record.value === null ? record.incarnation : incarnationIn(record)) ?? '');
  },
};

function isOfLive({ summary }: OutputRecord): boolean {
  return summary?.['state'] === 'OPENED' || summary?.['state'] === 'UPDATED';
}

function incarnationIn({ summary }: OutputRecord): string | undefined {
  const incarnation = summary?.['incarnation'];
  return typeof incarnation === 'string' ? incarnation : undefined;
}
