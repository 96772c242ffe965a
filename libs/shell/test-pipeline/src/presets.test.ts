// The sessions of each preset, by example (docs/PRESETS.md).
import { describe, expect, it, test } from '@jest/globals';
import { testPipeline, type TestPipeline } from './index.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const topics = { input: { topic: 'visit-events' }, output: { topic: 'visits' } };
const sectionOf = <const Preset extends 'web' | 'mobile' | 'player' | 'ga4' | 'posthog'>(preset: Preset) =>
  ({ name: 'visits', kind: 'session', preset, ...topics }) as const;

/** Beats of one key so far apart, up to and with the instant `until`. */
function beat(p: TestPipeline<'session'>, everyMs: number, until: number): void {
  p.send('a');
  while (p.now < until) {
    p.advance(Math.min(everyMs, until - p.now));
    p.send('a');
  }
}

const TIMEOUTS = [
  ['web', 30 * MINUTE],
  ['mobile', 5 * MINUTE],
  ['player', 20 * SECOND],
  ['ga4', 30 * MINUTE],
  ['posthog', 30 * MINUTE],
] as const;

test.each(TIMEOUTS)(
  '[S1] [S3] %s: a gap one below %i ms goes on, one of as much ends the session',
  (preset, timeout) => {
    const p = testPipeline(sectionOf(preset));
    p.send('a');
    p.advance(timeout - 1);
    p.send('a');
    p.advance(timeout - 1);
    expect(p.summaries()).toEqual([]);
    p.advance(1);
    expect(p.summaries()).toMatchObject([
      { summary: { reason: 'TIMEOUT', eventCount: 2, durationMs: timeout - 1, closedAt: p.now } },
    ]);
    p.send('a');
    expect(p.entries()).toMatchObject([{ state: { eventCount: 1 }, dueAt: p.now + timeout }]);
  },
);

test.each(['web', 'posthog'] as const)(
  '[S2] %s: a session ends 24 hours after its opening, and the next begins',
  (preset) => {
    const p = testPipeline(sectionOf(preset));
    const openedAt = p.now;
    beat(p, 20 * MINUTE, openedAt + DAY - 1);
    expect(p.summaries()).toEqual([]);
    p.advance(1);
    expect(p.summaries()).toMatchObject([
      { summary: { reason: 'MAX_DURATION', closedAt: openedAt + DAY, durationMs: DAY - 1 } },
    ]);
    p.send('a');
    p.advance('30m');
    expect(p.summaries()).toMatchObject([{ summary: { reason: 'TIMEOUT', eventCount: 1, durationMs: 0 } }]);
  },
);

test.each([
  ['mobile', 4 * MINUTE],
  ['player', 10 * SECOND],
  ['ga4', 20 * MINUTE],
] as const)('[S2] %s: a session of two days is one', (preset, everyMs) => {
  const p = testPipeline(sectionOf(preset));
  beat(p, everyMs, p.now + 2 * DAY);
  expect(p.summaries()).toEqual([]);
  p.advance('30m');
  expect(p.summaries()).toMatchObject([{ summary: { reason: 'TIMEOUT', durationMs: 2 * DAY } }]);
});

test('[S3] player: a beat that is lost ends the session, one that is late does not', () => {
  const p = testPipeline(sectionOf('player'));
  beat(p, 10 * SECOND, p.now + MINUTE);
  p.advance(19_999);
  beat(p, 10 * SECOND, p.now + MINUTE);
  expect(p.summaries()).toEqual([]);
  p.advance(20_000);
  expect(p.summaries()).toMatchObject([{ summary: { eventCount: 14, durationMs: 2 * MINUTE + 19_999 } }]);
});

test.each([
  ['ga4', 1, 8 * HOUR, { timeoutMs: 7 * HOUR + 55 * MINUTE }],
  ['posthog', 59 * SECOND, 11 * HOUR, { timeoutMs: 10 * HOUR }],
] as const)('[S7] %s: an event chooses a timeout no longer than the product takes', (preset, least, most, chosen) => {
  const p = testPipeline(sectionOf(preset));
  p.send('a', { timeoutMs: most });
  p.advance(chosen.timeoutMs - 1);
  expect(p.summaries()).toEqual([]);
  p.advance(1);
  expect(p.summaries()).toMatchObject([{ summary: chosen }]);
  p.send('a', { timeoutMs: least });
  p.advance(preset === 'posthog' ? MINUTE : 1);
  expect(p.summaries()).toMatchObject([{ summary: { timeoutMs: preset === 'posthog' ? MINUTE : 1 } }]);
});

test('[S2] ga4: another campaign begins no session', () => {
  const p = testPipeline(sectionOf('ga4'));
  p.send('a', { attributes: { campaign: 'spring' } });
  p.advance('10m');
  p.send('a', { attributes: { campaign: 'summer' } });
  p.advance('30m');
  const [closed, ...others] = p.summaries();
  expect([closed!.summary.eventCount, closed!.summary.attributes.get('campaign'), others]).toEqual([2, 'summer', []]);
});

test('[S1] what is set beside a preset wins', () => {
  const p = testPipeline({ ...sectionOf('web'), timeoutMs: '10m', maxDurationMs: '1h' });
  beat(p, 9 * MINUTE, p.now + HOUR - 1);
  expect(p.summaries()).toEqual([]);
  p.advance(1);
  expect(p.summaries()).toMatchObject([{ summary: { reason: 'MAX_DURATION' } }]);
  p.send('a');
  p.advance('10m');
  expect(p.summaries()).toMatchObject([{ summary: { reason: 'TIMEOUT' } }]);
});

/** Hour and minute on the wall there. */
const wall = (zone: string, at: number): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' }).format(at);

describe('the calendar cuts no session, and a duration is the time that passed:', () => {
  const turns = [
    ['midnight in UTC', '2026-06-15T00:00:00Z', 'UTC', '23:00', '01:00'],
    ['the beginning of 29 February', '2028-02-29T00:00:00Z', 'UTC', '23:00', '01:00'],
    ['the end of 29 February', '2028-03-01T00:00:00Z', 'UTC', '23:00', '01:00'],
    ['the end of a year', '2027-01-01T00:00:00Z', 'UTC', '23:00', '01:00'],
    ['midnight in New York', '2026-06-15T04:00:00Z', 'America/New_York', '23:00', '01:00'],
    ['the hour that New York leaves out', '2026-03-08T07:00:00Z', 'America/New_York', '01:00', '04:00'],
    ['the hour that New York has twice', '2026-11-01T06:00:00Z', 'America/New_York', '01:00', '02:00'],
    ['the hour that Berlin leaves out', '2026-03-29T01:00:00Z', 'Europe/Berlin', '01:00', '04:00'],
    ['the hour that Berlin has twice', '2026-10-25T01:00:00Z', 'Europe/Berlin', '02:00', '03:00'],
  ] as const;
  const cases = turns.flatMap(([name, instant, zone, from, until]) =>
    TIMEOUTS.map(([preset, timeout]) => ({ preset, timeout, name, instant, zone, from, until })),
  );

  it.each(cases)('[S1] [S2] $preset, $name', ({ preset, timeout, instant, zone, from, until }) => {
    const turn = Date.parse(instant);
    const p = testPipeline(sectionOf(preset), { startAt: turn - HOUR });
    expect([wall(zone, turn - HOUR), wall(zone, turn + HOUR)]).toEqual([from, until]);
    beat(p, timeout - 1, turn + HOUR);
    p.advance(timeout);
    expect(p.summaries()).toMatchObject([
      {
        summary: {
          reason: 'TIMEOUT',
          startedAt: turn - HOUR,
          durationMs: 2 * HOUR,
          closedAt: turn + HOUR + timeout,
          heldMs: undefined,
        },
      },
    ]);
    expect(p.entries()).toEqual([]);
  });

  it('[S2] a day of web sessions has 24 hours, also where the clocks make it 23 or 25', () => {
    for (const midnight of ['2026-03-08T05:00:00Z', '2026-11-01T04:00:00Z', '2028-02-29T05:00:00Z']) {
      const p = testPipeline(sectionOf('web'), { startAt: midnight });
      const openedAt = p.now;
      beat(p, 25 * MINUTE, openedAt + DAY - 1);
      p.advance(1);
      expect(p.summaries()).toMatchObject([{ summary: { reason: 'MAX_DURATION', closedAt: openedAt + DAY } }]);
    }
  });
});
