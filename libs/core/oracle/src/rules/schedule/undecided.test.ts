import { expect, test } from '@jest/globals';
import type { RawRecord } from '../../logs/raw-record.ts';
import { foldSchedules } from './fold-schedules.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const T = 1_800_000_000_000;
const rules = {
  maxHorizonMs: 1e12,
  missed: 'once',
  maxCatchUp: 5,
  catchUpWindowMs: 1e12,
  receipts: 'none',
  maxSchedulesPerKey: 9,
  targets: [],
};
const calendar = {
  version: '2026a',
  isSound: (): boolean => true,
  next: (_cron: string, _zone: string, after: number): number => after + 1_000,
  instant: Number,
};

function record(offset: number, key: string, headers: Readonly<Record<string, string>>): RawRecord {
  const sent = Object.entries(headers).map(([name, value]) => ({ name: `flatline-${name}`, value: bytes(value) }));
  return { offset, timestamp: T + offset, key: bytes(key), value: bytes('v'), headers: sent, logAppendTime: true };
}

const records = [
  record(0, 'zoned', { cron: '0 7 * * *', 'time-zone': 'Europe/Berlin' }),
  record(1, 'utc', { cron: '0 7 * * *' }),
  record(2, 'every', { 'every-ms': '1000' }),
];

test('[D3] keys that go by a zone are undecided where the output names another version of the time-zone database', () => {
  const undecided = (...versions: string[]): string[] => {
    const tzVersions = new Set(versions);
    return [...foldSchedules(records, { partition: 0, rules, calendar, tzVersions }).undecided];
  };
  expect(undecided('2026b')).toEqual(['zoned']);
  expect(undecided('2026a', '2026b')).toEqual(['zoned']);
  expect(undecided('2026a')).toEqual([]);
  expect([...foldSchedules(records, { partition: 0, rules, calendar }).undecided]).toEqual([]);
});
