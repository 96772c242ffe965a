import { beforeEach, describe, expect, test } from '@jest/globals';
import type { RuntimeLog } from '@flatline/runtime';
import { BrokerOutages } from './broker-outages.ts';
import { calmLog } from './calm-log.ts';

let now = 0;
let lines: string[] = [];
const clock = { monotonicMs: () => now };
const write = (level: string) => (message: string, facts?: Readonly<Record<string, unknown>>) => {
  lines.push(`${now / 1000} ${level} ${message} ${JSON.stringify(facts ?? {})}`);
};
const log: RuntimeLog = { info: write('info'), warn: write('warn'), error: write('error') };

beforeEach(() => {
  now = 0;
  lines = [];
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

  test('errors and what is merely told pass as they are', () => {
    const calm = calmLog(log, clock);
    for (let i = 0; i < 3; i += 1) {
      calm.error('partition stopped', { partition: 1 });
      calm.info('task runs');
    }
    expect(lines).toHaveLength(6);
  });
});
