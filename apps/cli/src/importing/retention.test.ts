import { describe, expect, test } from '@jest/globals';
import { hindranceOf } from './retention.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 31);
const FOREVER = Number('9223372036854775807');
const free = {
  maxMessageBytes: 1_000_000,
  retentionMs: -1,
  retentionBytes: -1,
  timestampBeforeMaxMs: FOREVER,
  timestampAfterMaxMs: FOREVER,
  logBytes: 0,
};
const file = {
  times: { earliest: NOW - 10 * DAY, latest: NOW },
  partitionBytes: 1_000,
  largest: { line: 7, batchBytes: 500 },
};
const empty = { times: undefined, partitionBytes: 0, largest: undefined };

describe('what is imported', () => {
  test('is taken and stays where nothing limits it', () => {
    expect(hindranceOf(file, free, NOW)).toBeUndefined();
    expect(hindranceOf(empty, { ...free, retentionMs: 1 }, NOW)).toBeUndefined();
  });

  const refuse = 'refuse what is imported';
  const remove = 'delete what is imported';
  const makeRoom = 'delete older records for what is imported';

  test.each([
    ['a stamp too old for the topic', { timestampBeforeMaxMs: 9 * DAY }, 'message.timestamp.before.max.ms', refuse],
    ['a stamp about to be too old', { timestampBeforeMaxMs: 10.5 * DAY }, 'message.timestamp.before.max.ms', refuse],
    ['a stamp too far ahead', { timestampAfterMaxMs: -1 }, 'message.timestamp.after.max.ms', refuse],
    ['a record too large for the topic', { maxMessageBytes: 499 }, 'max.message.bytes', refuse],
    ['retention by age', { retentionMs: 9 * DAY }, 'retention.ms', remove],
    ['retention within a day', { retentionMs: 10.5 * DAY }, 'retention.ms', remove],
    ['retention by size', { retentionBytes: 999 }, 'retention.bytes', remove],
    ['retention by size, with what is there', { retentionBytes: 5_000, logBytes: 4_500 }, 'retention.bytes', makeRoom],
  ])('is refused for %s, with the setting', (_why, limits, name, would) => {
    const found = hindranceOf(file, { ...free, ...limits }, NOW);
    expect(found).toMatchObject({ would, text: expect.stringContaining(`its ${name} is`) });
    expect(found!.settings.map(([setting]) => setting)).toEqual([name]);
  });

  test('has a margin of a tenth of a short retention, and of a day of a long one', () => {
    expect(hindranceOf(file, { ...free, retentionMs: 11.2 * DAY }, NOW)).toBeUndefined();
    const old = { ...file, times: { earliest: NOW - 100 * DAY, latest: NOW } };
    expect(hindranceOf(old, { ...free, retentionMs: 100.5 * DAY }, NOW)).toBeDefined();
    expect(hindranceOf(old, { ...free, retentionMs: 101.5 * DAY }, NOW)).toBeUndefined();
    const recent = { ...file, times: { earliest: NOW - 100_000, latest: NOW } };
    expect(hindranceOf(recent, { ...free, retentionMs: 105_000 }, NOW)).toBeDefined();
    expect(hindranceOf(recent, { ...free, retentionMs: 115_000 }, NOW)).toBeUndefined();
  });

  test('stays where it fills what retention leaves, to the byte', () => {
    expect(hindranceOf(file, { ...free, retentionBytes: 5_000, logBytes: 4_000 }, NOW)).toBeUndefined();
    expect(hindranceOf(file, { ...free, retentionBytes: 5_000, logBytes: 4_001 }, NOW)).toBeDefined();
  });

  test('is refused for all that hinders it at once, the worst first', () => {
    const limits = { ...free, retentionBytes: 10, retentionMs: DAY, timestampBeforeMaxMs: DAY };
    const found = hindranceOf(file, limits, NOW)!;
    expect(found.would).toBe(refuse);
    expect(Object.fromEntries(found.settings)).toEqual({
      'message.timestamp.before.max.ms': '9223372036854775807',
      'retention.ms': '-1',
      'retention.bytes': '-1',
    });
  });
});
