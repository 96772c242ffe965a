import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Cancel, DurationMs } from '@flatline/base';
import type { RuntimeLog } from '@flatline/runtime';
import { BrokerOutages } from './broker-outages.ts';
import { calmLog } from './calm-log.ts';

let now = 0;
let lines: string[] = [];
/** Callbacks that wait, by when they are due. */
const timers = new Set<{ readonly at: DurationMs; readonly callback: () => void }>();
const clock = {
  monotonicMs: () => now,
  after: (delayMs: DurationMs, callback: () => void): Cancel => {
    const timer = { at: now + delayMs, callback };
    timers.add(timer);
    return () => timers.delete(timer);
  },
};
const runTo = (end: DurationMs): void => {
  for (const timer of [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)) {
    timers.delete(timer);
    now = timer.at;
    timer.callback();
  }
  now = end;
};
const write = (level: string) => (message: string, facts?: Readonly<Record<string, unknown>>) => {
  lines.push(`${now / 1000} ${level} ${message} ${JSON.stringify(facts ?? {})}`);
};
const log: RuntimeLog = { info: write('info'), warn: write('warn'), error: write('error') };

beforeEach(() => {
  now = 0;
  lines = [];
  timers.clear();
});

describe('a broker that falls silent', () => {
  const broker = 'a:9092';

  test('a minute of attempts: one line as it begins, a few summaries, one line as it ends', () => {
    const outages = new BrokerOutages(log, clock);
    outages.note({ kind: 'connected', broker });
    for (now = 0; now < 60_000; now += 200) outages.note({ kind: 'failed', broker, why: 'ECONNREFUSED' });
    for (let connection = 0; connection < 6; connection += 1) outages.note({ kind: 'connected', broker });
    expect(lines).toEqual([
      '0 warn broker does not answer {"broker":"a:9092","why":"ECONNREFUSED"}',
      '10 warn broker still does not answer {"broker":"a:9092","forMs":10000,"attempts":51,"why":"ECONNREFUSED"}',
      '30 warn broker still does not answer {"broker":"a:9092","forMs":30000,"attempts":151,"why":"ECONNREFUSED"}',
      '60 info broker answers again {"broker":"a:9092","afterMs":60000,"attempts":300}',
    ]);
  });

  test('one that comes and goes does not fill the log either, and after a minute of rest it is news', () => {
    const outages = new BrokerOutages(log, clock);
    for (now = 0; now < 600_000; now += 500)
      outages.note(now % 1000 === 0 ? { kind: 'failed', broker, why: 'reset' } : { kind: 'connected', broker });
    expect(lines.length).toBeLessThan(20);
    now += 60_000;
    outages.note({ kind: 'failed', broker, why: 'reset' });
    expect(lines.at(-1)).toContain('warn broker does not answer');
  });

  test('a second outage is told by itself: its own first line, how long it lasts and how many attempts it saw', () => {
    const outages = new BrokerOutages(log, clock);
    const failFrom = (from: DurationMs, end: DurationMs): void => {
      for (now = from; now < end; now += 500) outages.note({ kind: 'failed', broker, why: 'ECONNREFUSED' });
      outages.note({ kind: 'connected', broker });
    };
    failFrom(0, 34_000);
    failFrom(91_000, 119_000);
    expect(lines.slice(-4)).toEqual([
      '34 info broker answers again {"broker":"a:9092","afterMs":34000,"attempts":68}',
      '91 warn broker does not answer {"broker":"a:9092","why":"ECONNREFUSED"}',
      '101 warn broker still does not answer {"broker":"a:9092","forMs":10000,"attempts":21,"why":"ECONNREFUSED"}',
      '119 info broker answers again {"broker":"a:9092","afterMs":28000,"attempts":56}',
    ]);
  });

  test('of outages that are left out since it flaps, the line that comes tells of the newest alone', () => {
    const outages = new BrokerOutages(log, clock);
    for (now = 0; now < 12_000; now += 1_000)
      outages.note(now % 2_000 === 0 ? { kind: 'failed', broker, why: 'reset' } : { kind: 'connected', broker });
    expect(lines).toEqual([
      '0 warn broker does not answer {"broker":"a:9092","why":"reset"}',
      '1 info broker answers again {"broker":"a:9092","afterMs":1000,"attempts":1}',
      '10 warn broker does not answer {"broker":"a:9092","why":"reset","unsaidBefore":4}',
      '11 info broker answers again {"broker":"a:9092","afterMs":1000,"attempts":1}',
    ]);
  });

  test('each broker has outages of its own', () => {
    const outages = new BrokerOutages(log, clock);
    for (const each of ['a:1', 'b:1', 'a:1']) outages.note({ kind: 'failed', broker: each, why: 'x' });
    expect(lines).toHaveLength(2);
  });
});

describe('a warning that comes over and over', () => {
  test('is said once for each of a few partitions, then with how many lines were left out', () => {
    const calm = calmLog(log, clock);
    for (now = 0; now < 31_000; now += 1_000)
      for (let partition = 0; partition < 100; partition += 1) calm.warn('trying again', { topic: 't', partition });
    expect(lines).toEqual([
      ...Array.from({ length: 8 }, (_, partition) => `0 warn trying again {"topic":"t","partition":${partition}}`),
      '10 warn trying again {"topic":"t","partition":0,"unsaidBefore":992}',
      '30 warn trying again {"topic":"t","partition":0,"unsaidBefore":1999}',
    ]);
    now += 61_000;
    calm.warn('trying again', { topic: 't', partition: 1 });
    expect(lines.at(-1)).toBe('92 warn trying again {"topic":"t","partition":1}');
  });

  test('has a last word where it ends before it is summed up, with all the records that its lines told of, and how long ago', () => {
    const calm = calmLog(log, clock);
    for (const records of [5, 60, 7])
      calm.warn('refused', { topic: 't', partition: 1, offset: 100 + records, records });
    expect(lines).toEqual(['0 warn refused {"topic":"t","partition":1,"offset":105,"records":5}']);
    runTo(11_000);
    expect(lines.slice(1)).toEqual([
      '11 warn refused {"topic":"t","partition":1,"offset":107,"records":67,"unsaidBefore":1,"agoMs":11000}',
    ]);
    calm.warn('refused', { topic: 't', partition: 1, offset: 200, records: 2 });
    runTo(3_600_000);
    expect(lines.slice(2)).toEqual([
      '32 warn refused {"topic":"t","partition":1,"offset":200,"records":2,"unsaidBefore":0,"agoMs":21000}',
    ]);
    expect(timers.size).toBe(0);
  });

  test('errors and what is merely told pass as they are', () => {
    const calm = calmLog(log, clock);
    for (let i = 0; i < 3; i += 1) {
      calm.error('partition stopped', { partition: 1 });
      calm.info('task runs');
    }
    expect(lines).toHaveLength(6);
  });
});
