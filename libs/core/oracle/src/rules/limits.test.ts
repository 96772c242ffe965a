// Limits of the product that the checker must know, or it would report sound output as faulty.
import { expect, test } from '@jest/globals';
import { keyedRecord } from '../logs/raw-record.ts';
import { foldDebounce } from './debounce/fold-debounce.ts';
import { scheduleAskedBy } from './schedule/schedule-request.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const calendar = { version: '', isSound: () => true, next: () => undefined, instant: () => undefined };

test('[D3][I1] an expression or a zone of more than 256 characters is no schedule', () => {
  const asked = (headers: Readonly<Record<string, string>>): unknown => {
    const sent = Object.entries(headers).map(([name, text]) => ({ name: `flatline-${name}`, value: bytes(text) }));
    const place = { offset: 0, timestamp: 0, logAppendTime: true, key: bytes('k'), value: bytes('v') };
    return scheduleAskedBy(keyedRecord({ ...place, headers: sent }), calendar);
  };
  const cron = '* '.repeat(128);
  expect(asked({ cron })).toMatchObject({ cron });
  expect(asked({ cron: `${cron}*` })).toBe('bad');
  expect(asked({ cron: '* * * * *', 'time-zone': 'Z'.repeat(256) })).toMatchObject({ does: 'schedule' });
  expect(asked({ cron: '* * * * *', 'time-zone': 'Z'.repeat(257) })).toBe('bad');
});

test('[B3] an item that would take the state of its window above 60 MiB fires the items there', () => {
  const itemBytes = 1_000_000;
  const value = new Uint8Array(itemBytes).fill(0x20);
  const rules = {
    mode: 'trailing',
    waitMs: 1e9,
    maxWaitMs: 0,
    maxItems: 1e6,
    maxBytes: 1e9,
    onOversize: 'split',
    maxPartsBytes: 1e9,
    reducer: 'all',
    dedupeBy: undefined,
    roomFor: () => 2e6,
    sizeOf: () => itemBytes,
  };
  const count = 64;
  const records = Array.from({ length: count }, (_, offset) => ({
    offset,
    timestamp: 1e12 + offset,
    logAppendTime: true,
    key: bytes('k'),
    value,
    headers: [],
  }));
  const batches = foldDebounce(records, { partition: 0, rules, logAppendTime: true }).said.get('k') ?? [];
  expect([...new Set(batches.map(({ reason, count: taken }) => `${reason} ${taken}`))]).toEqual(['MAX_BYTES 62']);
});
