import { expect, test } from '@jest/globals';
import type { InputRecord } from '../logs/history.ts';
import { keyedRecord } from '../logs/raw-record.ts';
import type { SchedulePipelineRules } from '../rules/schedule/schedule-reading.ts';
import { foldKind } from './fold-kind.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const T = 1_800_000_000_000;
const rules: SchedulePipelineRules = {
  kind: 'schedule',
  timestampType: 'LogAppendTime',
  maxKeyBytes: 64,
  unheardMs: 0,
  maxHoldMs: 0,
  maxHorizonMs: 1e12,
  missed: 'once',
  maxCatchUp: 5,
  catchUpWindowMs: 1e12,
  receipts: 'none',
  maxSchedulesPerKey: 9,
  targets: [],
  calendar: { version: 'none', isSound: () => true, next: () => undefined, instant: Number },
};

const record = (offset: number, timestamp: number, headers: Readonly<Record<string, string>>): InputRecord =>
  keyedRecord({
    offset,
    timestamp,
    key: bytes('k'),
    value: bytes('v'),
    headers: Object.entries(headers).map(([name, value]) => ({ name: `flatline-${name}`, value: bytes(value) })),
    logAppendTime: true,
  });

test('[D2] each due instant that the clock has brought about is counted, also where nothing is said of it', () => {
  const records = [
    record(0, T, { 'schedule-id': 'late', 'delay-ms': '1000', 'expires-ms': '500' }),
    record(1, T, { 'schedule-id': 'in time', 'delay-ms': '5000' }),
    record(2, T, { 'schedule-id': 'later', 'delay-ms': '5001' }),
  ];
  const { dues, said, open } = foldKind(records, { partition: 0, rules, clockAtEnd: T + 5_000 });
  expect({ dues, said, open: open.size }).toEqual({ dues: 2, said: 1, open: 1 });
});

test('[D1] where the log of a target is judged, runs for it are looked at, and those for the output are not', () => {
  const records = [
    record(0, T, { 'schedule-id': 'a', 'delay-ms': '1', target: 'elsewhere' }),
    record(1, T, { 'schedule-id': 'b', 'delay-ms': '1', target: 'elsewhere' }),
    record(2, T, { 'schedule-id': 'c', 'delay-ms': '1' }),
  ];
  const saidBy = (judgedTarget: Pick<SchedulePipelineRules, 'judgedTarget'>): number =>
    foldKind(records, { partition: 0, rules: { ...rules, targets: ['elsewhere'], ...judgedTarget }, clockAtEnd: T + 1 })
      .said;
  expect(saidBy({})).toBe(1);
  expect(saidBy({ judgedTarget: 'elsewhere' })).toBe(2);
});
