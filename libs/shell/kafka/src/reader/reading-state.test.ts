// The table of reading-state.ts, written down a second time: each kind of state against each kind of event.
import { describe, expect, test } from '@jest/globals';
import { afterEvent, type ReadingEvent, type ReadingState } from './reading-state.ts';

const leader = { nodeId: 1, leaderEpoch: 5, topicId: 'id' };
const later = { nodeId: 2, leaderEpoch: 6, topicId: 'id' };
const range = { start: 0, end: 90 };
const flight = {};
const failure = new Error('gone');
const NOT_BEFORE_MS = 70;

const STATES = {
  locating: { kind: 'locating', notBeforeMs: 10, doubt: undefined, unknownSinceMs: 3 },
  'locating, doubted': { kind: 'locating', notBeforeMs: 10, doubt: 'said', unknownSinceMs: undefined },
  'locating, outside': { kind: 'locating', notBeforeMs: 10, doubt: range, unknownSinceMs: undefined },
  comparing: { kind: 'comparing', leader, readEpoch: 4, doubt: undefined },
  'comparing, doubted': { kind: 'comparing', leader, readEpoch: 4, doubt: 'said' },
  confirming: { kind: 'confirming', leader },
  fetching: { kind: 'fetching', leader, outside: undefined, flight },
  'fetching, outside': { kind: 'fetching', leader, outside: range, flight },
  failed: { kind: 'failed', failure },
  closed: { kind: 'closed', failure: undefined },
} satisfies Record<string, ReadingState>;

const EVENTS: readonly ReadingEvent[] = [
  { kind: 'led', leader: later, readEpoch: undefined },
  { kind: 'led', leader: later, readEpoch: 4 },
  { kind: 'leaderLost', notBeforeMs: NOT_BEFORE_MS },
  { kind: 'deposed', notBeforeMs: NOT_BEFORE_MS },
  { kind: 'unknown', nowMs: 60, notBeforeMs: NOT_BEFORE_MS },
  { kind: 'agreed' },
  { kind: 'outOfRange', notBeforeMs: NOT_BEFORE_MS },
  { kind: 'ranged', range, position: 50 },
  { kind: 'ranged', range, position: 91 },
  { kind: 'sent', flight: {} },
  { kind: 'landed', flight },
  { kind: 'answered' },
  { kind: 'fail', failure: new Error('later') },
  { kind: 'close' },
];

/** In the order of EVENTS; '.' where nothing changes. */
const TABLE: Readonly<Record<keyof typeof STATES, string>> = {
  locating: 'fetching comparing locating locating locating . . . . . . . failed closed',
  'locating, doubted': 'confirming comparing? locating? locating? locating? . . . . . . . failed closed',
  'locating, outside': 'fetching! comparing! locating! locating! locating! . . . . . . . failed closed',
  comparing: 'fetching comparing locating locating . fetching . . . . . . failed closed',
  'comparing, doubted': 'confirming comparing? locating? locating? . confirming . . . . . . failed closed',
  confirming: 'confirming comparing? locating? locating? . . . fetching fetching! . . . failed closed',
  fetching: 'fetching comparing locating locating . . locating? . . fetching~ fetching . failed closed',
  'fetching, outside':
    'fetching! comparing! locating! locating! . . locating! . . fetching!~ fetching! fetching~ failed closed',
  failed: '. . . . . . . . . . . . . closed',
  closed: '. . . . . . . . . . . . . .',
};

/** ? doubted, ! outside the range that the leader gave, ~ a fetch is under way. */
function word(before: ReadingState, after: ReadingState): string {
  if (after === before) return '.';
  const doubt = 'doubt' in after ? after.doubt : 'outside' in after ? after.outside : undefined;
  const mark = doubt === undefined ? '' : doubt === 'said' ? '?' : '!';
  return `${after.kind}${mark}${'flight' in after && after.flight !== undefined ? '~' : ''}`;
}

describe('the states of a partition being read', () => {
  test.each(Object.keys(STATES) as (keyof typeof STATES)[])('RI1 RI2 RI3 [R3] %s: after each event', (name) => {
    const state: ReadingState = STATES[name];
    expect(EVENTS.map((event) => word(state, afterEvent(state, event))).join(' ')).toBe(TABLE[name]);
  });

  test('[R3] how long metadata know nothing of it counts from the first time, until they name a leader', () => {
    const unknown = (nowMs: number): ReadingEvent => ({ kind: 'unknown', nowMs, notBeforeMs: NOT_BEFORE_MS });
    const first = afterEvent(afterEvent(STATES['locating, doubted'], unknown(60)), {
      kind: 'leaderLost',
      notBeforeMs: NOT_BEFORE_MS,
    });
    expect(afterEvent(first, unknown(90))).toMatchObject({ unknownSinceMs: 60 });
    expect(afterEvent(first, { kind: 'deposed', notBeforeMs: NOT_BEFORE_MS })).toMatchObject({
      unknownSinceMs: undefined,
    });
  });

  test('RI3 a fetch that lands after another was sent changes nothing', () => {
    expect(afterEvent(STATES.fetching, { kind: 'landed', flight: {} })).toBe(STATES.fetching);
  });

  test('RI1 what failed stays to be seen once closed, and the first failure is kept', () => {
    const again = afterEvent(STATES.failed, { kind: 'fail', failure: new Error('later') });
    expect(afterEvent(again, { kind: 'close' })).toEqual({ kind: 'closed', failure });
  });
});
