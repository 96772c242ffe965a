// Schedules that are paused, resumed and triggered, and what is answered.
import { describe, expect, test } from '@jest/globals';
import { brief, history, HOUR, T } from './schedules.fixture.ts';

describe('commands and receipts', () => {
  test('[D4] what is paused does not run; resumed, what runs once and is late runs, what recurs goes on', () => {
    const log = history(
      {},
      4.5 * HOUR,
      [0, { 'delay-ms': HOUR, 'schedule-id': 'once' }],
      [0, { 'every-ms': HOUR, 'schedule-id': 'each' }],
      [60_000, { command: 'PAUSE' }, ''],
      [2.5 * HOUR, { command: 'RESUME' }, null],
      [3.4 * HOUR, { command: 'PAUSE', 'schedule-id': 'each' }],
    );
    expect(brief(log.said())).toEqual(['v 3600000 once #1 last', 'v 10800000 each #1 missed 2']);
  });

  test('[D4] triggered, it runs at once: once more, or for the only time', () => {
    const log = history(
      {},
      3.5 * HOUR,
      [0, { 'delay-ms': HOUR, 'schedule-id': 'once' }],
      [0, { 'every-ms': HOUR, 'schedule-id': 'each', 'max-runs': 3 }],
      [60_000, { command: 'TRIGGER' }],
      [1.5 * HOUR, { command: 'TRIGGER', 'schedule-id': 'once' }],
      [2.5 * HOUR, {}, null],
    );
    expect(brief(log.said())).toEqual([
      'v 60000 once #1 last',
      'v 60000 each #1',
      'v 3600000 each #2',
      'v 7200000 each #3 last',
    ]);
  });

  test.each([
    ['all', ['SCHEDULED 1000', 'REPLACED 2001', 'NOT_FOUND x', 'CANCELLED 2001', 'NOT_FOUND']],
    ['errors', ['NOT_FOUND x', 'NOT_FOUND']],
    ['none', []],
  ] as const)('[D4] receipts %s', (receipts, said) => {
    const log = history(
      { rules: { receipts } },
      5_000,
      [0, { 'delay-ms': 1_000 }],
      [1, { 'delay-ms': 2_000 }],
      [2, { 'schedule-id': 'x' }, null],
      [3, {}, null],
      [4, {}, null],
    );
    expect(brief(log.said())).toEqual(said);
    if (receipts === 'all')
      expect(log.said()[3]).toEqual({
        value: '',
        headers: [
          'flatline-receipt=CANCELLED',
          `flatline-due-at=${T + 2_001}`,
          'flatline-schedule=3-1',
          'flatline-answers=3',
        ],
      });
  });
});
