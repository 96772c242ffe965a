import { expect, test } from '@jest/globals';
import { type ExpectedClose, summaryDifferences } from './expected-close.ts';
import { RULES, sessionFold, type SessionFold } from './rules.fixture.ts';

const HONEST = new TextEncoder().encode('honest');
const FAST = new TextEncoder().encode('fast');

test('[C6] on CreateTime a stamp moves the clock no further than the commit of its record says', () => {
  const start = 1_700_000_000_000;
  const stated = start + 1_000;
  const { fold, takeCloses, sessionOf } = sessionFold({ ...RULES, timestampType: 'CreateTime' });
  const beat = (offset: number, key: Uint8Array, timestamp: number): void => {
    const shape = { value: new Uint8Array(), logAppendTime: false, hasClockHeader: false, event: undefined };
    fold.record({ offset, key, timestamp, ...shape }, stated);
  };
  beat(0, HONEST, start);
  // Half an hour ahead: accepted, since maxFutureMs is an hour, but it leads the clock by maxLeadMs at most.
  beat(1, FAST, start + 1_800_000);
  expect(fold.clock).toBe(stated);
  beat(2, HONEST, start + 500);
  expect(takeCloses()).toEqual([]);
  expect(sessionOf('honest')?.eventCount).toBe(2);
});

test('[C6][V3] on CreateTime an explicit end is closed at a clock that no log tells, between what is sure and what the commit says', () => {
  const begin = 1_700_000_000_000;
  const stated = begin + 1_000;
  const { fold, takeCloses } = sessionFold({ ...RULES, timestampType: 'CreateTime' });
  const take = (offset: number, key: Uint8Array, timestamp: number, value: Uint8Array | null): void => {
    fold.record(
      { offset, key, timestamp, value, logAppendTime: false, hasClockHeader: false, event: undefined },
      stated,
    );
  };
  const differencesAt = (closedAt: number, close: ExpectedClose): readonly string[] =>
    summaryDifferences({ ...Object.fromEntries(close.summary), closedAt }, close);
  take(0, HONEST, begin, new Uint8Array());
  // The present at that time allowed it less than the commit says in the end, or as much.
  take(1, FAST, begin + 1_800_000, new Uint8Array());
  take(2, HONEST, begin + 500, null);
  const [first] = takeCloses();
  const found = [begin + 499, begin + 500, begin + 700, stated, stated + 1].map(
    (at) => differencesAt(at, first!).length,
  );
  expect(found).toEqual([1, 0, 0, 0, 1]);
  // At its end, a commit's clock is the one that it states.
  fold.endCommit();
  take(3, HONEST, begin + 600, new Uint8Array());
  take(4, HONEST, begin + 700, null);
  const [second] = takeCloses();
  expect([stated - 1, stated].map((at) => differencesAt(at, second!).length)).toEqual([1, 0]);
});

test('[I7] a session without room is refused, one that is due takes none, and on CreateTime the processor is believed within reason', () => {
  const fold = (
    timestampType: 'LogAppendTime' | 'CreateTime',
  ): { fold: SessionFold['fold']; beat: (key: string, at: number, full?: boolean) => number } => {
    const { fold: naive } = sessionFold({ ...RULES, timestampType, entriesMax: 2, keyBytesMax: 12 });
    let offset = 0;
    const beat = (key: string, at: number, isSaidFull = false): number => {
      const shape = {
        value: new Uint8Array(),
        logAppendTime: timestampType === 'LogAppendTime',
        hasClockHeader: false,
        event: undefined,
      };
      naive.record(
        { offset, key: new TextEncoder().encode(key), timestamp: 1e12 + at, ...shape },
        Infinity,
        isSaidFull,
      );
      return offset++;
    };
    return { fold: naive, beat };
  };
  const arrival = fold('LogAppendTime');
  arrival.beat('a', 0);
  arrival.beat('b', 1_000);
  const [third, again] = [arrival.beat('c', 4_999), arrival.beat('a', 4_999)];
  expect(third).toBeLessThan(again);
  expect(arrival.fold.takeBad()).toEqual([third]);
  arrival.beat('c', 6_000);
  expect(arrival.fold.takeBad()).toEqual([]);
  const long = arrival.beat('of twelve...', 20_000);
  expect([arrival.fold.takeBad(), arrival.beat('and four', 20_000)]).toEqual([[], long + 1]);
  expect(arrival.fold.takeBad()).toEqual([long + 1]);
  const own = fold('CreateTime');
  for (const key of ['a', 'b', 'c']) own.beat(key, 0);
  expect(own.fold.takeBad()).toEqual([]);
  expect([own.beat('d', 0, true), own.fold.takeBad()]).toEqual([3, [3]]);
  // No clock fills a partition that holds one session, or that has closed too few to have had more.
  const [roomy, later] = [fold('CreateTime'), fold('CreateTime')];
  roomy.beat('a', 0);
  roomy.beat('b', 0, true);
  expect(roomy.fold.takeBad()).toEqual([]);
  for (const at of [0, 20_000]) later.beat('a', at);
  expect([later.beat('b', 20_000, true), later.fold.takeBad()]).toEqual([2, [2]]);
  later.fold.takeExpected();
  later.beat('b', 20_000, true);
  expect(later.fold.takeBad()).toEqual([]);
});

test('[S10][S5] what a reducer would see is read where it is added, and not of a duplicate, nor of an end of nothing', () => {
  const sum = { type: 'record', name: 'sum_s', fields: [{ name: 'parts', type: { type: 'array', items: 'double' } }] };
  const state = {
    ...sum,
    fields: [...sum.fields, { name: 'count', type: 'long' }],
  };
  const record = (type: unknown): object => ({ type: 'record', name: 'Reduced', fields: [{ name: 's', type }] });
  const reducer = { maxStateBytes: 400, state: record(state), result: record('double'), builtIn: { s: { sum: '/n' } } };
  const { fold, sessionOf } = sessionFold({ ...RULES, reducer });
  const event = {
    type: 'VIEW',
    occurredAt: undefined,
    sequence: undefined,
    timeoutMs: undefined,
    attributes: undefined,
  };
  const take = (offset: number, fields: Readonly<Record<string, unknown>> | 'bad', own: object): void => {
    const shape = { key: HONEST, timestamp: 1_000, value: FAST, logAppendTime: true, hasClockHeader: false };
    fold.record({ offset, ...shape, fields, event: { ...event, eventId: undefined, ...own } }, 1_000);
  };
  take(0, 'bad', { type: 'ENDED' });
  take(1, { n: 1 }, { eventId: 'e' });
  take(2, 'bad', { eventId: 'e' });
  expect([fold.lastBad, sessionOf('honest')?.eventCount, sessionOf('honest')?.duplicates]).toEqual([-1, 1, 1]);
  take(3, 'bad', {});
  expect([fold.lastBad, sessionOf('honest')?.eventCount]).toEqual([3, 1]);
});
