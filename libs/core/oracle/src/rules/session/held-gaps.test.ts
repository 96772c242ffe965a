import { expect, test } from '@jest/globals';
import { nameOf } from '../../logs/byte-names.ts';
import type { PipelineRules } from '../../logs/history.ts';
import { NaiveFold } from './naive-fold.ts';
import { blankReach } from '../../judge/reach.ts';
import { RULES } from '../../judge/subjects/session.fixture.ts';

const rules: PipelineRules = { ...RULES, timeoutMs: 1_000, unheardMs: 200, maxHoldMs: 3_000 };
const key = (name: string): Uint8Array => new TextEncoder().encode(name);

test('[C8][C5] with far more gaps than are told apart, a session that was due before two became one stays due then', () => {
  const fold = new NaiveFold(0, rules, blankReach());
  const beat = (offset: number, name: string): void => {
    fold.record({
      offset,
      timestamp: 1_000_000 + offset * 700,
      key: key(name),
      value: new Uint8Array(),
      logAppendTime: true,
      hasClockHeader: false,
      event: undefined,
    });
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
