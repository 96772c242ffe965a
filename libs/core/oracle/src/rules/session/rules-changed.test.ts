import { expect, test } from '@jest/globals';
import { ByteWriter } from '@flatline/base';
import { nameOf } from '../../logs/byte-names.ts';
import type { LoggedImage } from '../../logs/changelog-fold.ts';
import { RULES, sessionFold, type SessionFold } from './rules.fixture.ts';

const T = 1_700_000_000_000;
const KEY = new TextEncoder().encode('one');
const BEAT = { key: KEY, value: new Uint8Array(), logAppendTime: true, hasClockHeader: false, event: undefined };

/** A session with one beat, by rules that `adopt` changes in place. */
function beaten(): SessionFold & { readonly adopt: (maxDurationMs: number) => void } {
  const rules = { ...RULES, timeoutMs: 20_000, maxDurationMs: 10_000 };
  const sessions = sessionFold(rules);
  sessions.fold.record({ ...BEAT, offset: 0, timestamp: T });
  const adopt = (maxDurationMs: number): void => {
    rules.maxDurationMs = maxDurationMs;
    sessions.fold.rulesChanged();
  };
  return { ...sessions, adopt };
}

const atCommit = { position: 1, namedAfter: [], isNamed: true };

test('[S2][V2] a session that other rules make due sooner takes effect then, though nothing of its key comes', () => {
  const { fold, adopt, deadlineOf, takeCloses } = beaten();
  adopt(4_000);
  expect(deadlineOf('one')).toBe(T + 4_000);
  fold.advance(T + 3_999);
  expect(fold.overdue()).toEqual([]);
  fold.advance(T + 4_000);
  expect(fold.overdue().map(({ text }) => text)).toEqual(['one']);
  const [close] = takeCloses();
  expect(close).toMatchObject({ reason: 'MAX_DURATION', deadlineAt: T + 4_000 });
  expect(fold.compare(nameOf(KEY), undefined, atCommit)).toEqual([]);
  expect(fold.takeExpected().map(({ dueAt }) => dueAt)).toEqual([T + 4_000]);
});

test('[S2][V2] a session that other rules make due where the clock is takes effect at once', () => {
  const { fold, adopt } = beaten();
  fold.advance(T + 5_000);
  expect(fold.overdue()).toEqual([]);
  adopt(4_000);
  expect(fold.overdue()).toHaveLength(1);
});

test('[S2][V3] a session that was due, and that the changelog does not show closed, lives on by rules that let it', () => {
  const { fold, adopt, deadlineOf } = beaten();
  fold.advance(T + 10_000);
  expect(fold.overdue()).toHaveLength(1);
  adopt(15_000);
  expect(fold.overdue()).toEqual([]);
  expect(deadlineOf('one')).toBe(T + 15_000);
  expect(fold.compare(nameOf(KEY), undefined, atCommit).map(({ rule }) => rule)).toEqual(['V3']);
});

/** The changelog's image of the session that began at that offset, with two beats. */
function loggedFrom(firstOffset: number): LoggedImage {
  const out = new ByteWriter(64);
  out.u8(0);
  for (const number of [T, 9_000, firstOffset, 1, 2, 20_000]) out.varint(number);
  const head = out.copy();
  return { key: KEY, head, pages: [], image: head, offset: 0 };
}

test('[V1] a session that is due has not been said in a later state in which it lives, whatever it has heard by then', () => {
  const { fold } = beaten();
  fold.advance(T + 10_000);
  expect(fold.hasSaid(nameOf(KEY), '0-0', loggedFrom(0))).toBe(false);
  expect(fold.hasSaid(nameOf(KEY), '0-0', loggedFrom(1))).toBe(true);
  expect(fold.hasSaid(nameOf(KEY), '0-0', undefined)).toBe(true);
});
