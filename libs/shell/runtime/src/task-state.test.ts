// The table of task-state.ts, written down a second time: each kind of state against each kind of event.
import { describe, expect, test } from '@jest/globals';
import { afterTaskEvent, type TaskEvent, type TaskState } from './task-state.ts';

const STATES = {
  created: { kind: 'created' },
  restoring: { kind: 'restoring', isToMove: false, detail: 'no answer', cutsWhenBack: undefined },
  'restoring, to move': { kind: 'restoring', isToMove: true, detail: 'no answer', cutsWhenBack: 4 },
  running: { kind: 'running', cutsWhenBack: undefined },
  'running, given back': { kind: 'running', cutsWhenBack: 4 },
  draining: { kind: 'draining', untilMs: 90 },
  stopped: { kind: 'stopped', detail: 'R3', retryAtMs: 80 },
  closing: { kind: 'closing', detail: 'R3' },
  closed: { kind: 'closed' },
} satisfies Record<string, TaskState>;

const EVENTS: readonly TaskEvent[] = [
  { kind: 'bringUp', why: 'a record' },
  { kind: 'obstructed', why: 'late' },
  { kind: 'restored' },
  { kind: 'moveAway', untilMs: 90 },
  { kind: 'comeBack', settledCuts: undefined },
  { kind: 'comeBack', settledCuts: 7 },
  { kind: 'stop', why: 'damaged', retryAtMs: undefined },
  { kind: 'close' },
  { kind: 'released' },
];

/** In the order of EVENTS: '.' nothing changes, '!' cannot happen; behind a colon what it says why. */
const TABLE: Readonly<Record<keyof typeof STATES, string>> = {
  created: 'restoring:a-record ! ! closing . . ! closing !',
  restoring:
    '! restoring:late running restoring>:no-answer . restoring:no-answer+7 stopped:damaged closing:no-answer !',
  'restoring, to move':
    '! restoring>:late+4 running+4 . restoring:no-answer+4 restoring:no-answer+7 closing:damaged closing:no-answer !',
  running: 'restoring:a-record ! ! draining . running+7 stopped:damaged closing !',
  'running, given back': 'restoring:a-record ! ! draining . running+7 stopped:damaged closing !',
  draining: 'closing ! ! . running running+7 closing:damaged closing !',
  stopped: 'restoring:a-record ! ! closing:R3 . . . closing:R3 !',
  closing: '. . . . . . . . closed',
  closed: '. . . . . . . . .',
};

/** > is to move away; + the cuts that its task had settled when it was given back. */
function word(before: TaskState, event: TaskEvent): string {
  let after: TaskState;
  try {
    after = afterTaskEvent(before, event);
  } catch {
    return '!';
  }
  if (JSON.stringify(after) === JSON.stringify(before)) return '.';
  const mark = after.kind === 'restoring' && after.isToMove ? '>' : '';
  const detail = 'detail' in after && after.detail !== undefined ? `:${after.detail.replace(' ', '-')}` : '';
  const cuts = 'cutsWhenBack' in after && after.cutsWhenBack !== undefined ? `+${after.cutsWhenBack}` : '';
  return after.kind + mark + detail + cuts;
}

describe('the life of a task', () => {
  test.each(Object.keys(STATES) as (keyof typeof STATES)[])('LX2 LX3 [R3][I6] %s: after each event', (name) => {
    expect(EVENTS.map((event) => word(STATES[name], event)).join(' ')).toBe(TABLE[name]);
  });

  test('LX1 [R3] how long it drains, and when it tries again, is part of the state', () => {
    const { running } = STATES;
    expect(afterTaskEvent(running, { kind: 'moveAway', untilMs: 7 })).toEqual({ kind: 'draining', untilMs: 7 });
    expect(afterTaskEvent(running, { kind: 'stop', why: 'w', retryAtMs: 9 })).toMatchObject({ retryAtMs: 9 });
  });
});
