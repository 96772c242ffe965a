import { describe, expect, test } from '@jest/globals';
import { createColors } from 'picocolors';
import { type ShowPicture, statusLine, renderShow } from './view.ts';
import { RateWindow } from './rate-window.ts';
import { RecentValues } from './recent-values.ts';

const plain = createColors(false);
const picture: ShowPicture = {
  name: 'demo',
  broker: '127.0.0.1:9092',
  http: 'http://127.0.0.1:7070',
  topic: 'demo-events',
  timeoutMs: 3000,
  elapsedMs: 12_000,
  heartbeats: 12_345,
  heartbeatsPerSecond: 1000.4,
  begun: 1203,
  closed: 791,
  closedPerSecond: 65,
  live: 412,
  total: 2000,
  closeDelayMs: { median: 120, p99: 340 },
  phase: undefined,
  partitions: [
    {
      partition: 0,
      state: 'running',
      liveEntries: 103,
      recordsRead: 3000,
      sessionsClosed: 198,
      lag: 0,
      detail: undefined,
    },
  ],
  monitored: [],
  recent: [
    {
      key: new TextEncoder().encode('s1-\u001b[2J\u202e'),
      reason: 'TIMEOUT',
      durationMs: 4500,
      eventCount: 9,
      incarnation: '3-1234',
    },
  ],
};

describe('the view', () => {
  test('shows counts, rates, partitions, the last summaries and how far it is', () => {
    const text = renderShow(picture, plain, { columns: 100, rows: 40 });
    for (const part of [
      '12,345',
      '1,000/s',
      '412',
      '791',
      '65/s',
      '120 ms median',
      'running',
      'TIMEOUT',
      '39 %',
      '19 s left',
    ])
      expect(text).toContain(part);
  });

  test('[I3] a hostile key cannot reach the terminal', () => {
    for (const text of [renderShow(picture, plain, { columns: 100, rows: 40 }), statusLine(picture)]) {
      expect(text).toContain('s1-\\u001b[2J\\u202e');
      expect(text).not.toContain('\u001b');
    }
  });

  test('on a low terminal the header and the progress stay, and it fits', () => {
    const lines = renderShow(picture, plain, { columns: 50, rows: 14 }).split('\n');
    expect(lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 50)), 0)).toBeLessThan(14);
    expect(lines[0]).toContain('Flatline demo');
    expect(lines.at(-1)).toBe('Ctrl-C ends');
  });

  test('without an end it says how long it has run, without closes it shows none', () => {
    const text = renderShow({ ...picture, total: undefined, closeDelayMs: undefined, recent: [] }, plain, {
      columns: 100,
      rows: 40,
    });
    expect(text).toContain('running for 12 s');
    expect(text).not.toContain('%');
  });

  test('stays within narrow terminals', () => {
    for (const line of renderShow({ ...picture, topic: 'x'.repeat(300) }, plain, { columns: 80, rows: 40 }).split('\n'))
      expect(line.length).toBeLessThanOrEqual(90);
  });

  test('a small terminal is shown whole rows, no heading without one, and nothing that wraps', () => {
    const shown = (rows: number): string[] => renderShow(picture, plain, { columns: 50, rows }).split('\n');
    for (const rows of [10, 11, 12, 14, 16, 24]) {
      const lines = shown(rows);
      expect(lines.length).toBeLessThan(Math.max(rows, 10));
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(50);
      expect(lines.some((line) => line.startsWith('partition'))).toBe(lines.some((line) => line.includes('running')));
    }
    expect(shown(24).some((line) => line.includes('TIMEOUT'))).toBe(true);
  });

  test('one of anything is said in the singular, and columns stay where they are', () => {
    const one = { ...picture, heartbeats: 1, begun: 1, closed: 1, total: 1 };
    const text = renderShow({ ...one, recent: [{ ...picture.recent[0]!, eventCount: 1 }, picture.recent[0]!] }, plain, {
      columns: 100,
      rows: 40,
    });
    expect(text).toContain('of 1 session begun');
    expect(text).toContain('1 of 1 session closed');
    expect(text).toContain('     1 event   3-1234');
    expect(text).toContain('     9 events  3-1234');
    expect(statusLine(one)).toContain('1 heartbeat (1,000/s), 412 live, 1 of 1 session closed (');
  });

  test('one line says the same for a log', () => {
    expect(statusLine(picture)).toBe(
      '12 s: 12,345 heartbeats (1,000/s), 412 live, 791 of 2,000 sessions closed (65/s), last s1-\\u001b[2J\\u202e TIMEOUT after 5 s',
    );
  });
});

describe('rates and quantiles', () => {
  test('the rate is that of the window, not of the whole run', () => {
    const window = new RateWindow(2000);
    for (let second = 0; second <= 10; second += 1) window.sample(second * 1000, second <= 8 ? 0 : (second - 8) * 50);
    expect(window.perSecond).toBe(50);
  });

  test('there is no rate before there are two moments', () => {
    const window = new RateWindow(2000);
    expect(window.perSecond).toBe(0);
    window.sample(5, 100);
    window.sample(5, 200);
    expect(window.perSecond).toBe(0);
  });

  test('quantiles are of the last values only', () => {
    const recent = new RecentValues(100);
    expect(recent.quantile(0.5)).toBeUndefined();
    for (let value = 1; value <= 300; value += 1) recent.add(value);
    expect([recent.quantile(0), recent.quantile(0.5), recent.quantile(0.99), recent.quantile(1)]).toEqual([
      201, 250, 299, 300,
    ]);
  });
});
