import { describe, expect, it } from '@jest/globals';
import type { ReducerItem } from '@flatline/kinds/debounce';
import { testPipeline } from './index.ts';

const TOPICS = { input: { topic: 'in' }, output: { topic: 'out' } } as const;
const START = Date.parse('2026-01-01T00:00:00Z');

describe('a test pipeline of leases', () => {
  const LEASES = { name: 'leaders', kind: 'lease', timeoutMs: '10s', onConflict: 'queue', ...TOPICS } as const;

  it('[L1] [L3] [L4] grants, queues, expires and grants the next', () => {
    const p = testPipeline(LEASES);
    p.send('report', { type: 'STARTED', attributes: { worker: 'w1' } }, { headers: { 'flatline-request-id': 'r1' } });
    const [granted] = p.leaseEvents();
    expect(granted).toMatchObject({ keyText: 'report', event: { type: 'GRANTED', requestId: 'r1', token: 1 } });
    p.send('report', { type: 'STARTED' }, { headers: { 'flatline-request-id': 'r2' } });
    expect(p.leaseEvents()).toMatchObject([{ event: { type: 'QUEUED', requestId: 'r2' } }]);
    p.advance('6s');
    p.send('report', '', { headers: { 'flatline-token': granted!.event.token! } });
    p.advance('9s');
    expect(p.leaseEvents()).toEqual([]);
    p.advance('1s');
    expect(p.leaseEvents()).toMatchObject([
      { event: { type: 'EXPIRED', token: 1 } },
      { event: { type: 'GRANTED', requestId: 'r2' } },
    ]);
    expect(p.entries()).toMatchObject([{ keyText: 'report', dueAt: START + 26_000 }]);
  });
});

describe('a test pipeline that debounces', () => {
  const REINDEX = { name: 'reindex', kind: 'debounce', waitMs: '5s', ...TOPICS } as const;

  it('[B1] [B2] fires after the wait, with all items', () => {
    const p = testPipeline(REINDEX);
    p.send('doc-1', { version: 1 });
    p.advance('4s');
    p.send('doc-1', { version: 2 });
    p.advance(4_999);
    expect(p.batches()).toEqual([]);
    expect(p.entries()).toMatchObject([{ keyText: 'doc-1', dueAt: p.now + 1, state: { count: 2 } }]);
    p.advance(1);
    const [batch] = p.batches();
    expect(batch).toMatchObject({ keyText: 'doc-1', batch: { reason: 'QUIET', count: 2 } });
    expect(batch!.batch.items.map(({ value }) => value)).toEqual([{ version: 1 }, { version: 2 }]);
  });

  it('[B3] says a window in parts, in commit after commit', () => {
    const p = testPipeline({ ...REINDEX, onOversize: 'split' });
    const item = 'x'.repeat(60_000);
    for (let i = 0; i < 40; i += 1) p.send('doc-1', item);
    p.advance('5s');
    const parts = p.batches();
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.map(({ batch }) => batch.part)).toEqual(parts.map((_, i) => i));
    expect(parts.at(-1)!.batch.last).toBe(true);
    expect(parts.flatMap(({ batch }) => batch.items)).toHaveLength(40);
  });

  it('[B3] folds with a reducer of the application', () => {
    const longest = (most: unknown, { value }: ReducerItem): number =>
      Math.max((most as number | undefined) ?? 0, value.length);
    const p = testPipeline({ ...REINDEX, reducer: 'custom' }, { reducers: { reindex: longest } });
    for (const value of ['ab', 'abcd', 'a']) p.send('doc-1', value);
    p.restart();
    p.advance('5s');
    expect(p.batches()).toMatchObject([{ batch: { count: 3, items: [{ value: 4 }] } }]);
  });
});

describe('a test pipeline of schedules', () => {
  const REMINDERS = { name: 'reminders', kind: 'schedule', targets: ['mails'], receipts: 'all', ...TOPICS } as const;

  it('[D1] [D2] runs at its instant, into the topic that it names', () => {
    const p = testPipeline(REMINDERS);
    p.send(
      'order-1',
      { mail: 'thanks' },
      { headers: { 'flatline-delay-ms': 86_400_000, 'flatline-target': 'mails', app: 'x' } },
    );
    p.send('order-2', 'soon', { headers: { 'flatline-due-at': START + 1_000 } });
    expect(p.receipts().map(({ receipt }) => receipt.type)).toEqual(['SCHEDULED', 'SCHEDULED']);
    expect(p.entries().map(({ keyText, dueAt }) => [keyText, dueAt])).toEqual([
      ['order-1', START + 86_400_000],
      ['order-2', START + 1_000],
    ]);
    p.advance('1s');
    expect(p.runs()).toMatchObject([{ topic: 'out', keyText: 'order-2', run: { number: 1, dueAt: START + 1_000 } }]);
    p.advanceTo('2026-01-02T00:00:00Z');
    const [run] = p.runs();
    expect(run).toMatchObject({ topic: 'mails', keyText: 'order-1', timestamp: p.now, run: { last: true } });
    expect(JSON.parse(new TextDecoder().decode(run!.run.value))).toEqual({ mail: 'thanks' });
    expect(run!.run.headers.map(({ name }) => name)).toEqual(['app']);
  });

  it('[D3] recurs by a calendar, over a year', () => {
    const p = testPipeline(REMINDERS);
    p.send('k', 'x', { headers: { 'flatline-cron': '0 9 * * *', 'flatline-time-zone': 'Europe/Berlin' } });
    p.advance('365d');
    const runs = p.runs();
    expect(runs).toHaveLength(365);
    expect(new Set(runs.map(({ timestamp }) => new Date(timestamp).toISOString().slice(11)))).toEqual(
      new Set(['08:00:00.000Z', '07:00:00.000Z']),
    );
    expect(runs.every(({ timestamp, run }) => timestamp === run.dueAt)).toBe(true);
  });

  it('[D3] after an outage says once what was missed', () => {
    const p = testPipeline(REMINDERS);
    p.send('k', 'x', { headers: { 'flatline-every-ms': 60_000 } });
    p.outage('10m');
    expect(p.runs()).toMatchObject([{ run: { missed: 9, dueAt: START + 600_000 } }]);
  });

  it('[D2] spreads a peak over time, as maxDuePerSecond says', () => {
    const p = testPipeline({ ...REMINDERS, maxDuePerSecond: 10 });
    for (let i = 0; i < 30; i += 1) p.send(`k${i}`, 'x', { headers: { 'flatline-due-at': START + 60_000 } });
    p.advance('60s');
    expect(p.runs()).toHaveLength(1);
    p.advance('1s');
    expect(p.runs().length).toBeLessThanOrEqual(11);
    p.advance('2s');
    p.outputs();
    expect(p.entries()).toEqual([]);
  });
});
