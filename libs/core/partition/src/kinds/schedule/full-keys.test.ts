// How much the schedules of one key may hold, to the byte, and as the oracle has it.
import { expect, test } from '@jest/globals';
import { type Headers, ScheduleLog, type ScheduleSettings, T } from './schedules.fixture.ts';

const SETTINGS: ScheduleSettings = { rules: { maxMessageBytes: 30_000_000, maxSchedulesPerKey: 9, receipts: 'all' } };
const LATER: Headers = { 'delay-ms': 1e8 };
/** Three of them leave 4 000 000 bytes. */
const LARGE = 20_000_000;

/** A value that makes a message of so many bytes: one says how many headers follow. */
const messageOf = (bytes: number): string => 'm'.repeat(bytes - 1);

function fill(log: ScheduleLog, key: string): void {
  for (const id of ['a', 'b', 'c']) log.add(T, key, { ...LATER, 'schedule-id': id }, messageOf(LARGE));
}

/** Commits, and compares all that was said and refused with the second reading. */
function refusedOf(log: ScheduleLog): readonly number[] {
  log.commit(false);
  const { all, refused } = log.folded();
  expect(log.all()).toEqual(all);
  expect(log.refused.map(({ offset }) => offset)).toEqual(refused);
  expect(new Set(log.refused.map(({ reason }) => reason))).toEqual(new Set(['too-many-schedules']));
  return refused;
}

test('[D1][I1] the messages of a key, not of others, are 64 000 000 bytes at most', () => {
  const log = new ScheduleLog(SETTINGS);
  const add = (key: string, id: string, bytes: number): number =>
    log.add(T, key, { ...LATER, 'schedule-id': id }, messageOf(bytes));
  for (const key of ['below', 'above']) fill(log, key);
  add('below', 'd', 3_999_999);
  const above = add('above', 'd', 4_000_001);
  log.commit(false);
  log.restart();
  // The last byte there is room for, and one more; what one frees, another may have.
  add('below', 'e', 1);
  const another = add('below', 'f', 1);
  const longer = add('below', 'd', 4_000_000);
  add('below', 'd', 3_999_998);
  add('below', 'f', 1);
  // A run that is due at once is no schedule, but it may be one for all that its record says.
  const now = log.add(T, 'below', { 'due-at': T }, 'v');
  log.add(T, 'below', { 'schedule-id': 'a' }, null);
  add('below', 'g', LARGE);
  add('above', 'd', 4_000_000);
  expect(refusedOf(log)).toEqual([above, another, longer, now]);
});

test('[D1][I1] so are those of one that goes on with another message, headers and names in UTF-8 included', () => {
  const log = new ScheduleLog(SETTINGS);
  fill(log, 'k');
  const every: Headers = { 'every-ms': 1e8, 'schedule-id': 'e', ':é': 'ü' };
  // Count, length of the name, its two bytes, length of the value, its two bytes: seven with the one of `messageOf`.
  log.add(T, 'k', every, messageOf(4_000_000 - 6));
  const above = log.add(T, 'k', every, messageOf(4_000_001 - 6));
  const other = log.add(T, 'k', { ...every, ':é': 'üx' }, messageOf(4_000_000 - 6));
  log.add(T, 'k', { ...every, ':é': 'ü' }, messageOf(4_000_000 - 6));
  expect(refusedOf(log)).toEqual([above, other]);
});
