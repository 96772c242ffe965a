import { expect, test } from '@jest/globals';
import { foldSchedules } from './fold-schedules.ts';

const utf8 = new TextEncoder();
const START = 1_790_000_000_000;
const SECOND_MS = 1_000;

test('[D3] each run that is made up for looks at the next instant, not at the whole outage', () => {
  let looks = 0;
  const next = (_cron: string, _zone: string, after: number): number => {
    looks += 1;
    return (Math.floor(after / SECOND_MS) + 1) * SECOND_MS;
  };
  const calendar = { version: 'a', isSound: () => true, next, instant: () => undefined };
  const [maxCatchUp, missed] = [100, 10_000];
  const rules = {
    maxHorizonMs: 1e11,
    missed: 'all',
    maxCatchUp,
    catchUpWindowMs: 1e11,
    receipts: 'none',
    maxSchedulesPerKey: 1,
    targets: [],
  };
  const at = { logAppendTime: true, lastOffset: undefined };
  const cron = [{ name: 'flatline-cron', value: utf8.encode('* * * * * *') }];
  const clock = [{ name: 'flatline-clock', value: utf8.encode('') }];
  const { said } = foldSchedules(
    [
      { ...at, offset: 0, timestamp: START, key: utf8.encode('k'), value: utf8.encode('v'), headers: cron },
      { ...at, offset: 1, timestamp: START + missed * SECOND_MS, key: null, value: null, headers: clock },
    ],
    { partition: 0, rules, calendar },
  );
  expect([...said.values()].map((runs) => runs.length)).toEqual([maxCatchUp]);
  // The other instants are skipped at once.
  expect(looks).toBeLessThan(missed + 10 * maxCatchUp);
});
