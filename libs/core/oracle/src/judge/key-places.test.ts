import { expect, test } from '@jest/globals';
import type { InputRecord } from '../logs/history.ts';
import { KeyPlaces } from './key-places.ts';

const record = (key: string | null, offset: number): InputRecord => ({
  offset,
  timestamp: 0,
  logAppendTime: true,
  value: null,
  hasClockHeader: false,
  event: undefined,
  key: key === null ? null : new TextEncoder().encode(key),
});

test('[I9] keys elsewhere than murmur2 puts them are counted once each, with the first as an example', () => {
  const places = new KeyPlaces(12);
  // murmur2 puts foobar in 6, and 21 in 0.
  places.note(record('foobar', 0), 6);
  places.note(record(null, 1), 5);
  for (const offset of [7, 8]) places.note(record('foobar', offset), 5);
  places.note(record('21', 9), 5);
  expect(places.summary()).toEqual({ count: 2, example: { key: 'foobar', partition: 5, belongsTo: 6, offset: 7 } });
});

test('[I9] where producers choose partitions otherwise on purpose, no key is misplaced', () => {
  const places = new KeyPlaces(undefined);
  places.note(record('foobar', 0), 5);
  expect(places.summary()).toEqual({ count: 0, example: undefined });
});
