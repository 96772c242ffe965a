// Sessions, as the judges read them (docs/FORMATS.md, Summaries).
import type { OutputRecord, PipelineRules } from '../../logs/history.ts';
import { EntriesFold } from '../entries-fold.ts';
import type { EntryRules, Expectation } from '../entry-rules.ts';
import type { FaultWords } from '../fault-words.ts';
import { incarnationFaults } from '../headers.ts';
import type { FoldCounts } from '../input-fold.ts';
import type { EntryFault, Ending, KindReading, OutputWords } from '../reading.ts';
import { HEARTBEAT } from '../../logs/json-event.ts';
import { type ExpectedClose, summaryDifferences } from './expected-close.ts';
import { ENDED, eventOf, NaiveSession } from './naive-session.ts';
import { touchedHead } from './session-head.ts';
import { differences, readImage } from './session-image.ts';
import { isOfSource, type Session } from './session-state.ts';
import { textsSize } from './state-size.ts';

export function sessionReading(partition: number, rules: PipelineRules, counts: FoldCounts): KindReading {
  const fold = new EntriesFold({ rules, counts, kind: sessionEntries(partition, rules) });
  return { plural: 'sessions', fold, words: SUMMARIES, touched: touchedHead };
}

export function sessionEntries(partition: number, rules: PipelineRules): EntryRules<Session, ExpectedClose> {
  return {
    machine: (key, gaps) => new NaiveSession(rules, gaps, { partition, key }),
    expect: expectation,
    stateIn: ({ image }) => readImage(image),
    // More than a heartbeat does: types, remembered ids, attributes, sources.
    needsRoom: (record, state) => {
      const event = eventOf(record);
      if (event === 'bad' || event?.type === ENDED) return false;
      if (state === undefined || event === undefined) return state === undefined;
      const isRemembered = event.eventId !== undefined && rules.dedupeEventIds > 0;
      return event.type !== HEARTBEAT || isRemembered || event.attributes !== undefined || isOfSource(event, rules);
    },
    stateBytes: textsSize,
    weighsExactly: true,
    differences,
    faults: wordsOf(partition),
    isOneLife: true,
    beginningOf: ({ firstOffset }) => firstOffset,
    // A summary is the only record of its session: it may come where that is what the session says next.
    instantOf: () => undefined,
    latestOffsetOf: ({ summary }) => Number(summary?.['lastOffset']),
    whyEarly: (record, { state, dueAt, clock }) =>
      SUMMARIES.beginningOf(record) === state.firstOffset
        ? `it is open: its deadline is ${dueAt}, the clock of this commit ${clock}`
        : undefined,
  };
}

function wordsOf(partition: number): FaultWords<Session> {
  const incarnationOf = ({ firstOffset }: Session): string => `${partition}-${firstOffset}`;
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

const ENDINGS: Readonly<Record<string, Ending>> = { ENDED: 'ends', TIMEOUT: 'timeouts', MAX_DURATION: 'maxDurations' };

function expectation(close: ExpectedClose): Expectation {
  const { incarnation, reason, deadlineAt } = close;
  return {
    id: incarnation,
    at: undefined,
    why: `${reason}, deadline ${deadlineAt}`,
    ending: ENDINGS[reason],
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

const SUMMARIES: OutputWords = {
  idOf: incarnationIn,
  lastOf: incarnationIn,
  contradictions: (record) => incarnationFaults(record, incarnationIn(record)),
  beginningOf: (record) => {
    const incarnation = incarnationIn(record) ?? '';
    return Number(incarnation.slice(incarnation.indexOf('-') + 1));
  },
};

function incarnationIn({ summary }: OutputRecord): string | undefined {
  const incarnation = summary?.['incarnation'];
  return typeof incarnation === 'string' ? incarnation : undefined;
}
