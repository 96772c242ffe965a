// Schedules that recur, rule by rule.
import { describe, expect, test } from '@jest/globals';
import {
  brief,
  type Headers,
  history,
  HOUR,
  LOST_ZONE,
  type Row,
  ScheduleLog,
  type ScheduleSettings,
  T,
} from './schedules.fixture.ts';

describe('a schedule that recurs', () => {
  const every = { 'every-ms': HOUR };

  /** The clock is told each minute. */
  function ticked(settings: ScheduleSettings, minutes: number, ...rows: readonly Row[]): ScheduleLog {
    const log = new ScheduleLog(settings);
    for (let minute = 0; minute <= minutes; minute += 1) {
      for (const [after, headers, value] of rows)
        if (after === minute) log.add(T + minute * 60_000, 'k', headers, value);
      log.add(T + minute * 60_000, null);
    }
    log.commit();
    return log;
  }

  test('[D3] runs each interval, up to so many times, and the last run says so', () => {
    const log = ticked({}, 999, [0, { ...every, 'max-runs': 3 }]);
    expect(brief(log.said())).toEqual(['v 3600000 #1', 'v 7200000 #2', 'v 10800000 #3 last']);
    expect(log.task.liveEntries).toBe(0);
  });

  test('[D3] bounded by a start and an end', () => {
    const when = { ...every, 'start-at': T + 60_000, 'end-at': T + 2 * HOUR };
    expect(brief(ticked({}, 999, [0, when]).said())).toEqual(['v 60000 #1', 'v 3660000 #2 last']);
    const begun = { ...every, 'start-at': T - HOUR / 2, 'end-at': T + 2 * HOUR };
    expect(brief(ticked({}, 999, [0, begun]).said())).toEqual(['v 1800000 #1', 'v 5400000 #2 last']);
  });

  test('[D3][I5] an interval beyond all time: the first run is the last', () => {
    const when = { 'every-ms': Number.MAX_SAFE_INTEGER, 'start-at': T + 60_000 };
    expect(brief(ticked({}, 3, [0, when]).said())).toEqual(['v 60000 #1 last']);
  });

  test('[D3][I1] no calendar is asked for a start beyond the horizon', () => {
    const log = history({}, 5, [0, { cron: 'each 1', 'start-at': 8_640_000_000_000_000 }]);
    expect(log.refused).toEqual([{ offset: 0, reason: 'beyond-horizon' }]);
  });

  test('[D3] by a zone that the calendar has lost is parked, as the oracle has it, and all others go on', () => {
    const knowsLostZone = { task: true, asks: 2 };
    const log = new ScheduleLog({ knowsLostZone, rules: { receipts: 'all' } });
    const cron = { cron: 'each 3600', 'schedule-id': 'lost', 'time-zone': LOST_ZONE };
    log.add(T, 'k', cron);
    log.add(T + 1, 'k', { ...every, 'schedule-id': 'honest' });
    log.add(T + HOUR + 1, null);
    log.commit();
    knowsLostZone.task = false;
    log.restart();
    log.add(T + 2 * HOUR + 1, null);
    log.add(T + 3 * HOUR, 'k', { command: 'RESUME' });
    log.add(T + 3 * HOUR + 1, null);
    log.commit();
    expect(brief(log.said()).filter((each) => each.includes('lost'))).toEqual([
      `SCHEDULED ${HOUR} lost`,
      `v ${HOUR} lost #1`,
      `PARKED ${2 * HOUR} lost`,
      `RESUMED ${2 * HOUR} lost`,
      `PARKED ${2 * HOUR} lost`,
    ]);
    expect(
      brief(log.said())
        .filter((each) => each.includes('#'))
        .at(-1),
    ).toBe(`v ${3 * HOUR + 1} honest #3`);
    expect(log.folded().all).toEqual(log.all());
    expect(log.folded().refused).toEqual([]);
  });

  test('[D3][D4] parked, it goes on once it is published again or resumed, but not where it is paused, as the oracle has it', () => {
    const knowsLostZone = { task: true, asks: 3, lacks: 3 };
    const log = new ScheduleLog({ knowsLostZone, rules: { receipts: 'all' } });
    const lost = (id: string): Headers => ({ cron: 'each 3600', 'schedule-id': id, 'time-zone': LOST_ZONE });
    for (const id of ['said', 'resumed', 'paused']) log.add(T, 'k', lost(id));
    log.commit();
    knowsLostZone.task = false;
    log.restart();
    log.add(T + HOUR + 1, null);
    log.add(T + 1.25 * HOUR, 'k', { command: 'PAUSE', 'schedule-id': 'paused' });
    log.commit();
    knowsLostZone.task = true;
    log.restart();
    log.add(T + 2.25 * HOUR, null);
    log.add(T + 2.5 * HOUR, 'k', lost('said'));
    log.add(T + 2.5 * HOUR, 'k', lost('paused'));
    log.add(T + 2.5 * HOUR, 'k', { command: 'RESUME', 'schedule-id': 'resumed' });
    log.add(T + 3 * HOUR + 1, null);
    log.commit();
    expect(
      brief(log.said())
        .filter((each) => each.includes('#'))
        .sort(),
    ).toEqual([`v ${3 * HOUR} resumed #1 missed 2`, `v ${3 * HOUR} said #1 missed 2`]);
    expect(log.folded().all).toEqual(log.all());
    expect([log.refused, log.folded().refused]).toEqual([[], []]);
  });

  test('[D3] published again and again, it neither runs twice nor is postponed, and takes the new value', () => {
    const rows = [0, 30, 60, 90, 120].map((minute): Row => [minute, every, `v${minute}`]);
    expect(brief(ticked({}, 130, ...rows).said())).toEqual(['v30 3600000 #1', 'v90 7200000 #2']);
    const other = ticked({}, 130, [0, every], [30, { 'every-ms': HOUR + 1 }]);
    expect(brief(other.said())).toEqual(['v 5400001 #1']);
    const reset = ticked({}, 130, [0, every], [30, { ...every, upsert: 'reset' }]);
    expect(brief(reset.said())).toEqual(['v 5400000 #1']);
  });

  test('[D3] by an expression: by the calendar, whose version is said', () => {
    const log = ticked({}, 31, [3, { cron: 'each 900', 'time-zone': 'UTC' }]);
    expect(brief(log.said())).toEqual(['v 900000 #1', 'v 1800000 #2']);
    expect(log.said()[0]!.headers).toContain('flatline-tz=2026z');
    const bounded = { cron: 'each 900', 'start-at': T + 900_000, 'end-at': T + 1_800_000 };
    expect(brief(ticked({}, 60, [0, bounded]).said())).toEqual(['v 900000 #1', 'v 1800000 #2 last']);
    expect(brief(ticked({}, 1, [0, { cron: 'each 900', 'start-at': T }]).said())).toEqual(['v 0 #1']);
  });

  /** The clock stands still from the first minute to 5 h 30 min. */
  function outage(missed: 'once' | 'all' | 'skip', rules = {}, headers: Headers = every): string[] {
    const settings = { rules: { missed, receipts: 'errors', ...rules } } as const;
    return brief(history(settings, 5.5 * HOUR, [0, headers], [60_000, { 'delay-ms': 1e9, 'schedule-id': 'x' }]).said());
  }

  test('[D3] missed once: the latest of them runs, and says how many did not', () => {
    expect(outage('once')).toEqual(['v 18000000 #1 missed 4']);
    expect(outage('once', {}, { cron: 'each 3600' })).toEqual(['v 18000000 #1 missed 4']);
    expect(outage('once', {}, { ...every, 'end-at': T + 3 * HOUR })).toEqual(['v 10800000 #1 last missed 2']);
    expect(outage('once', {}, { ...every, 'expires-ms': HOUR / 2 - 1 })).toEqual(['EXPIRED 18000000']);
  });

  test('[D2][D3][C5] made up for, it comes behind what was due before it', () => {
    const rows: Row[] = [
      [0, { 'every-ms': 1_000, 'schedule-id': 'each' }],
      [0, { 'delay-ms': 2_500, 'schedule-id': 'once' }],
    ];
    expect(brief(history({}, 5_000, ...rows).said())).toEqual(['v 2500 once #1 last', 'v 5000 each #1 missed 4']);
  });

  test('[D3] missed all: each of them runs, up to maxCatchUp', () => {
    expect(outage('all')).toEqual([1, 2, 3, 4, 5].map((run) => `v ${run * HOUR} #${run}`));
    expect(outage('all', { maxCatchUp: 2 })).toEqual(['v 3600000 #1', 'v 7200000 #2', 'MISSED 10800000']);
  });

  test('[D3] missed skip: none of them, and the next run says how many', () => {
    const log = history({ rules: { missed: 'skip' } }, 5.5 * HOUR, [0, every]);
    expect(brief(log.said())).toEqual([]);
    log.add(T + 6 * HOUR, null);
    log.commit();
    expect(brief(log.said())).toEqual(['v 21600000 #1 missed 5']);
  });

  test('[D3] what was due longer ago than catchUpWindowMs is missed for good', () => {
    expect(outage('all', { catchUpWindowMs: 2 * HOUR })).toEqual([
      'MISSED 3600000',
      'v 14400000 #1 missed 3',
      'v 18000000 #2',
    ]);
    expect(outage('all', { catchUpWindowMs: 4.5 * HOUR })).toHaveLength(5);
    // One alone, too.
    expect(outage('once', { catchUpWindowMs: HOUR }, { 'every-ms': 4 * HOUR })).toEqual(['MISSED 14400000']);
    expect(outage('once', { catchUpWindowMs: 1.5 * HOUR }, { 'every-ms': 4 * HOUR })).toEqual(['v 14400000 #1']);
  });

  test('[D3] a year of seconds is caught up with at once', () => {
    const rules = { catchUpWindowMs: 1e12 };
    const log = history({ rules }, 31_536_000_500, [0, { cron: 'each 1' }]);
    expect(brief(log.said())).toEqual(['v 31536000000 #1 missed 5']);
  });

  test('[D3][O6] runs that are made up for go into several cuts', () => {
    const settings = { rules: { missed: 'all', maxCatchUp: 100 }, cutBytes: 2_000 } as const;
    const log = history(settings, 90 * HOUR, [0, every, 'x'.repeat(400)]);
    expect(brief(log.said()).map((said) => said.split(' ')[1])).toEqual(
      Array.from({ length: 90 }, (_, i) => String((i + 1) * HOUR)),
    );
  });
});
