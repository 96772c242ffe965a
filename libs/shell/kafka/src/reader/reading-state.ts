// States of the reader of one partition, by what it waits for, as data: a state carries what is its own, and TRANSITIONS is total.
//
//   locating ──▶ fetching ──▶ locating        the leader moved, or cannot be reached
//                    └──────▶ comparing       metadata name a later one, though this one answers
//      │ ▲          │  ▲
//      │ │          ▼  │ the log says otherwise
//      │ │      confirming ──▶ failed          out of range, said twice by the leader (R3)
//      ▼ │
//   comparing ──▶ confirming, fetching         the new leader's log holds what was read (KIP-320)
//      └────────▶ failed                       it does not: acknowledged records were lost or replaced (R3)
//   any ──▶ failed (topic gone, not authorized, damaged), any ──▶ closed
//
// Invariants
//   RI1  `failed` and `closed` are final: from `failed` only `closed` follows, from `closed` nothing.
//   RI2  A doubt about the position lasts until a range or an answer contradicts it, whatever leaders come and go.
//   RI3  A fetch under way counts only in the state that it was sent from: every other state has forgotten it.
import type { DurationMs } from '@flatline/base';
import type { Leader } from '../connection/kafka-connection.ts';

/** Offsets of a log: the first present, and the high watermark. */
export interface LogRange {
  readonly start: number;
  readonly end: number;
}

/** A leader called the position out of range; a range: its successor or itself, asked again, confirms it. */
type RangeDoubt = 'said' | LogRange | undefined;

export interface ReadingStates {
  readonly locating: {
    readonly kind: 'locating';
    /** Look for a leader no sooner. */
    readonly notBeforeMs: DurationMs;
    readonly doubt: RangeDoubt;
    /** Since when metadata have had no such partition. */
    readonly unknownSinceMs: DurationMs | undefined;
  };
  readonly comparing: {
    readonly kind: 'comparing';
    readonly leader: Leader;
    /** The epoch that its log must hold as far as was read. */
    readonly readEpoch: number;
    readonly doubt: RangeDoubt;
  };
  readonly confirming: { readonly kind: 'confirming'; readonly leader: Leader };
  readonly fetching: {
    readonly kind: 'fetching';
    readonly leader: Leader;
    /** The range that confirmed the doubt: one more answer of that kind is final. */
    readonly outside: LogRange | undefined;
    /** The fetch under way. */
    readonly flight: object | undefined;
  };
  readonly failed: { readonly kind: 'failed'; readonly failure: Error };
  readonly closed: { readonly kind: 'closed'; readonly failure: Error | undefined };
}

export type ReadingState = ReadingStates[keyof ReadingStates];

interface ReadingEvents {
  /** Metadata named a leader; `readEpoch`: to be compared first, by this epoch. */
  readonly led: { readonly kind: 'led'; readonly leader: Leader; readonly readEpoch: number | undefined };
  /** No leader, or none that answers. */
  readonly leaderLost: { readonly kind: 'leaderLost'; readonly notBeforeMs: DurationMs };
  /** Metadata named one of an older epoch than is known: no leader, but the partition exists. */
  readonly deposed: { readonly kind: 'deposed'; readonly notBeforeMs: DurationMs };
  /** Metadata have no such partition. */
  readonly unknown: { readonly kind: 'unknown'; readonly nowMs: DurationMs; readonly notBeforeMs: DurationMs };
  /** The leader's log holds what was read. */
  readonly agreed: { readonly kind: 'agreed' };
  /** The leader calls the position out of range. */
  readonly outOfRange: { readonly kind: 'outOfRange'; readonly notBeforeMs: DurationMs };
  /** Its range, asked for afterwards. */
  readonly ranged: { readonly kind: 'ranged'; readonly range: LogRange; readonly position: number };
  readonly sent: { readonly kind: 'sent'; readonly flight: object };
  /** The fetch is over, whatever came of it. */
  readonly landed: { readonly kind: 'landed'; readonly flight: object };
  /** The leader answered a fetch without an error. */
  readonly answered: { readonly kind: 'answered' };
  readonly fail: { readonly kind: 'fail'; readonly failure: Error };
  readonly close: { readonly kind: 'close' };
}

export type ReadingEvent = ReadingEvents[keyof ReadingEvents];

type Transitions = {
  readonly [S in keyof ReadingStates]: {
    readonly [E in keyof ReadingEvents]: (state: ReadingStates[S], event: ReadingEvents[E]) => ReadingState;
  };
};

const stay = <S extends ReadingState>(state: S): S => state;
const failed = (_: unknown, { failure }: ReadingEvents['fail']): ReadingState => ({ kind: 'failed', failure });
const close = (): ReadingState => ({ kind: 'closed', failure: undefined });

/** No answer is awaited: each of the others has left the leader that was asked. */
const NO_ANSWER_DUE = { outOfRange: stay, sent: stay, landed: stay, answered: stay } as const;

const TRANSITIONS: Transitions = {
  locating: {
    ...NO_ANSWER_DUE,
    led: ({ doubt }, { leader, readEpoch }) => begin(leader, readEpoch, doubt),
    leaderLost: (state, { notBeforeMs }) => ({ ...state, notBeforeMs }),
    deposed: ({ doubt }, { notBeforeMs }) => locating(notBeforeMs, doubt),
    unknown: (state, { nowMs, notBeforeMs }) => ({
      ...state,
      notBeforeMs,
      unknownSinceMs: state.unknownSinceMs ?? nowMs,
    }),
    agreed: stay,
    ranged: stay,
    fail: failed,
    close,
  },
  comparing: {
    ...NO_ANSWER_DUE,
    led: ({ doubt }, { leader, readEpoch }) => begin(leader, readEpoch, doubt),
    leaderLost: ({ doubt }, { notBeforeMs }) => locating(notBeforeMs, doubt),
    deposed: ({ doubt }, { notBeforeMs }) => locating(notBeforeMs, doubt),
    unknown: stay,
    agreed: ({ leader, doubt }) => begin(leader, undefined, doubt),
    ranged: stay,
    fail: failed,
    close,
  },
  confirming: {
    ...NO_ANSWER_DUE,
    led: (_, { leader, readEpoch }) => begin(leader, readEpoch, 'said'),
    leaderLost: (_, { notBeforeMs }) => locating(notBeforeMs, 'said'),
    deposed: (_, { notBeforeMs }) => locating(notBeforeMs, 'said'),
    unknown: stay,
    agreed: stay,
    ranged: ({ leader }, { range, position }) => {
      const isInside = range.start <= position && position <= range.end;
      return fetching(leader, isInside ? undefined : range);
    },
    fail: failed,
    close,
  },
  fetching: {
    led: ({ outside }, { leader, readEpoch }) => begin(leader, readEpoch, outside),
    leaderLost: ({ outside }, { notBeforeMs }) => locating(notBeforeMs, outside),
    deposed: ({ outside }, { notBeforeMs }) => locating(notBeforeMs, outside),
    unknown: stay,
    agreed: stay,
    outOfRange: ({ outside }, { notBeforeMs }) => locating(notBeforeMs, outside ?? 'said'),
    ranged: stay,
    sent: (state, { flight }) => ({ ...state, flight }),
    landed: (state, { flight }) => (state.flight === flight ? { ...state, flight: undefined } : state),
    answered: (state) => (state.outside === undefined ? state : { ...state, outside: undefined }),
    fail: failed,
    close,
  },
  failed: {
    ...NO_ANSWER_DUE,
    led: stay,
    leaderLost: stay,
    deposed: stay,
    unknown: stay,
    agreed: stay,
    ranged: stay,
    fail: stay,
    close: ({ failure }) => ({ kind: 'closed', failure }),
  },
  closed: {
    ...NO_ANSWER_DUE,
    led: stay,
    leaderLost: stay,
    deposed: stay,
    unknown: stay,
    agreed: stay,
    ranged: stay,
    fail: stay,
    close: stay,
  },
};

/** The state after `event`: the same object where that changes nothing. */
export function afterEvent(state: ReadingState, event: ReadingEvent): ReadingState {
  // The table's type pairs each kind with its own function; the compiler cannot follow two lookups at once.
  const transition = TRANSITIONS[state.kind][event.kind] as (state: ReadingState, event: ReadingEvent) => ReadingState;
  return transition(state, event);
}

function begin(leader: Leader, readEpoch: number | undefined, doubt: RangeDoubt): ReadingState {
  if (readEpoch !== undefined) return { kind: 'comparing', leader, readEpoch, doubt };
  return doubt === 'said' ? { kind: 'confirming', leader } : fetching(leader, doubt);
}

function locating(notBeforeMs: DurationMs, doubt: RangeDoubt): ReadingState {
  return { kind: 'locating', notBeforeMs, doubt, unknownSinceMs: undefined };
}

function fetching(leader: Leader, outside: LogRange | undefined): ReadingState {
  return { kind: 'fetching', leader, outside, flight: undefined };
}
