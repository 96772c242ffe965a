import { expect, test } from '@jest/globals';
import type { ScheduleFoldRules, ScheduleState } from './naive-schedules.ts';
import { scheduleEntries } from './schedule-reading.ts';

const RULES: ScheduleFoldRules = {
  maxHorizonMs: 1e9,
  missed: 'once',
  maxCatchUp: 1,
  catchUpWindowMs: 1e9,
  receipts: 'all',
  maxSchedulesPerKey: 9,
  targets: [],
};
const CALENDAR = { version: 'none', isSound: () => false, next: () => undefined, instant: () => undefined };

function stateOf(value: string): ScheduleState {
  const bounds = { start: undefined, end: undefined, max: undefined, expires: undefined, jitter: undefined };
  const times = { id: 'a', every: 1_000, cron: undefined, zone: '', ...bounds };
  const asked = { ...times, target: undefined, headers: [], value, messageBytes: value.length };
  const runs = { shift: 0, runs: 1, missed: 0, madeUp: 0, paused: false, parked: false };
  return { pending: [{ asked, offset: 7, due: 9, ...runs }], dueAt: 9 };
}

test('[D1] messages that differ behind all that is shown of them are different', () => {
  const kind = scheduleEntries(3, RULES, CALENDAR);
  const long = 'm'.repeat(100_000);
  expect(kind.differences(stateOf(`${long}a`), stateOf(`${long}a`))).toEqual([]);
  expect(kind.differences(stateOf(`${long}a`), stateOf(`${long}b`))).toEqual([expect.stringContaining('schedule 0')]);
});
