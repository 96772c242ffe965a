import { expect, test } from '@jest/globals';
import type { PipelineRules } from '../../logs/history.ts';
import { RULES, sessionFold, type SessionFold } from './rules.fixture.ts';

const rules: PipelineRules = { ...RULES, timeoutMs: 1_000, unheardMs: 200, maxHoldMs: 3_000 };
const key = (name: string): Uint8Array => new TextEncoder().encode(name);

function beating({ fold }: SessionFold): (timestamp: number, name: string) => void {
  let offset = 0;
  return (timestamp, name) => {
    const value = new Uint8Array();
    fold.record({
      offset,
      timestamp,
      key: key(name),
      value,
      logAppendTime: true,
      hasClockHeader: false,
      event: undefined,
    });
    offset += 1;
  };
}

test('[C8][C5] with far more gaps than are told apart, a session that was due before two became one stays due then', () => {
  const sessions = sessionFold(rules);
  const beatAt = beating(sessions);
  const beat = (offset: number, name: string): void => {
    beatAt(1_000_000 + offset * 700, name);
  };
  beat(0, 'gone');
  for (let offset = 1; offset < 300; offset += 1) beat(offset, 'here');
  // In each gap of 700 ms, 200 count: five of them make the timeout.
  const due = 1_000_000 + 4 * 700 + 200;
  const [close, ...others] = sessions.takeCloses();
  expect(others).toEqual([]);
  expect(close!.summary.get('closedAt')).toBe(due);
  expect(close!.summary.get('heldMs')).toBe(4 * 500);
});

test('[C8] a gap in which nothing lives is none, whether what was due has been closed by then or not', () => {
  for (const isClosed of [true, false]) {
    const sessions = sessionFold({ ...rules, timeoutMs: 1_000, unheardMs: 10 });
    const beat = beating(sessions);
    for (let at = 0; at < 1_000; at += 10) beat(1_000_000 + at, at === 0 ? 'before' : 'other');
    for (let at = 0; at <= 1_000; at += 10) sessions.fold.advance(1_000_990 + at);
    if (isClosed) sessions.fold.lapseAll();
    const begun = 1_002_500;
    beat(begun, 'silent');
    for (let gap = 1; gap <= 64; gap += 1) beat(begun + 11 * gap, 'here');
    expect(sessions.deadlineOf('silent')).toBe(begun + 1_000 + 64);
  }
});
