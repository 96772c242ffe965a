import { expect, test } from '@jest/globals';
import { nameOf } from '../../logs/byte-names.ts';
import type { PipelineRules } from '../../logs/history.ts';
import { NaiveFold } from './naive-fold.ts';
import { blankReach } from '../../judge/reach.ts';
import { RULES } from './rules.fixture.ts';

const rules: PipelineRules = { ...RULES, timeoutMs: 1_000, unheardMs: 200, maxHoldMs: 3_000 };
const key = (name: string): Uint8Array => new TextEncoder().encode(name);

function beating(fold: NaiveFold): (timestamp: number, name: string) => void {
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
  const fold = new NaiveFold(0, rules, blankReach());
  const beatAt = beating(fold);
  const beat = (offset: number, name: string): void => {
    beatAt(1_000_000 + offset * 700, name);
  };
  beat(0, 'gone');
  for (let offset = 1; offset < 300; offset += 1) beat(offset, 'here');
  // In each gap of 700 ms 200 count: five of them make the timeout.
  const due = 1_000_000 + 4 * 700 + 200;
  expect(fold.deadlineOf(fold.open.get(nameOf(key('gone')))!)).toBe(due);
  fold.closeDue(nameOf(key('gone')), key('gone'));
  const [close] = fold.takeClosed();
  expect(close!.summary.get('closedAt')).toBe(due);
  expect(close!.summary.get('heldMs')).toBe(4 * 500);
});

test('[C8] a gap in which nothing lives is none, whether what was due has been closed by then or not', () => {
  for (const isClosed of [true, false]) {
    const fold = new NaiveFold(0, { ...rules, timeoutMs: 1_000, unheardMs: 10 }, blankReach());
    const beat = beating(fold);
    for (let at = 0; at < 1_000; at += 10) beat(1_000_000 + at, at === 0 ? 'before' : 'other');
    for (let at = 0; at <= 1_000; at += 10) fold.advance(1_000_990 + at);
    if (isClosed) for (const name of ['before', 'other']) fold.closeDue(nameOf(key(name)), key(name));
    const begun = 1_002_500;
    beat(begun, 'silent');
    for (let gap = 1; gap <= 64; gap += 1) beat(begun + 11 * gap, 'here');
    expect(fold.deadlineOf(fold.open.get(nameOf(key('silent')))!)).toBe(begun + 1_000 + 64);
  }
});
