// The bytes of a key's schedules (docs/FORMATS.md, Changelog).
import { describe, expect, test } from '@jest/globals';
import { MalformedBytes } from '@flatline/base';
import { ONCE } from '@flatline/schedules';
import { type Schedule, schedulesIn, stateOf } from './schedule-state.ts';

const schedule: Schedule = {
  id: 'a',
  offset: 7,
  dueAt: 300,
  shiftMs: 0,
  runs: 1,
  missed: 2,
  madeUp: 0,
  paused: false,
  parked: false,
  when: { ...ONCE, cron: '@', timeZone: 'UTC' },
  target: undefined,
  message: Uint8Array.of(0, 0x76),
};
const PAUSED = { ...schedule, paused: true };
const PARKED = { ...PAUSED, parked: true };
const JITTERED = { ...PARKED, shiftMs: 5, when: { ...schedule.when, jitterMs: 9 } };

function hexOf(each: Schedule): string {
  const { bytes, start, length } = stateOf([each]);
  return Buffer.from(bytes.slice(start, start + length)).toString('hex');
}

describe('the bytes of a schedule', () => {
  test.each([
    ['that waits', schedule, '11016107ac02010200040140035554430076'],
    ['that is paused', PAUSED, '11016107ac02010200050140035554430076'],
    ['that is parked', PARKED, '12016107ac0201020085040140035554430076'],
    ['that is parked, with jitter', JITTERED, '14016107ac02010200850601400355544309050076'],
  ] as const)('[D3] of one %s', (_, each, hex) => {
    expect(hexOf(each)).toBe(hex);
    const bytes = Uint8Array.from(Buffer.from(hex, 'hex'));
    expect(schedulesIn({ bytes, start: 0, length: bytes.length })).toEqual([each]);
  });

  test('[D3] what is parked and not paused, and flags that none has, are no schedule', () => {
    for (const flags of ['8404', '8508']) {
      const bytes = Uint8Array.from(Buffer.from(hexOf(PARKED).replace('8504', flags), 'hex'));
      expect(() => schedulesIn({ bytes, start: 0, length: bytes.length })).toThrow(MalformedBytes);
    }
  });
});
