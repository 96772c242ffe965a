import { describe, expect, test } from '@jest/globals';
import { pageText } from '../frame/page.ts';
import { assembledPage, bytesRows, type BytesLook, closeRows, inputRows } from './assembled-page.ts';
import { ATTRIBUTE_BYTES, recordsOf, SHAPES } from './shapes.ts';

const look = (liveSessions: number, each: number): BytesLook => ({
  liveSessions,
  memoryBytes: 100e6 + each * liveSessions,
  changelogBytes: 3 * each * liveSessions,
  liveBytes: each * liveSessions,
  storeBytes: 5e6 + 2 * each * liveSessions,
});

const rows = bytesRows([
  { shape: 'bare', does: 'beats', sessions: 1_000, half: look(500, 100), all: look(1_000, 100) },
  { shape: 'waiting', does: 'waits', sessions: 1_000, half: look(500, 700), all: look(1_000, 700) },
]);
const events = inputRows([
  { cell: 'bare, one input', events: 1e6, cpuMs: 500, elapsedMs: 1_000 },
  { cell: 'bare, one input', events: 1e6, cpuMs: 400, elapsedMs: 1_000 },
  { cell: 'bare, one input', events: 1e6, cpuMs: 250, elapsedMs: 1_000 },
  { cell: 'JSON, two inputs', events: 1e6, cpuMs: 1_600, elapsedMs: 2_000 },
]);

describe('the page of assembled sessions', () => {
  test('counts what more sessions take, not what a process takes anyway', () => {
    expect(rows[0]).toMatchObject({
      memoryBytesPerSession: 100,
      liveBytesPerSession: 100,
      changelogBytesPerSession: 300,
      storeBytesPerSession: 200,
    });
    const text = pageText(assembledPage(events, []), rows);
    expect(text).toMatch(/^waiting +700 +700 +2100 +1400$/m);
  });

  test('compares each kind of events with the first, by medians', () => {
    expect(events.map(({ timesFirst }) => timesFirst)).toEqual([1, 0.25]);
    const text = pageText(assembledPage(events, []), rows);
    expect(text).toMatch(/^JSON, two inputs +625 k +0\.25 +500 k$/m);
  });

  test('judges a close that is counted', () => {
    const closes = (cpuMs: number) =>
      closeRows([
        { variant: 'not counted', closes: 1_000, cpuMs: 10 },
        { variant: 'counted', closes: 1_000, cpuMs },
      ]);
    expect(pageText(assembledPage(events, closes(10.9)), rows)).toContain('one that is not: met');
    expect(pageText(assembledPage(events, closes(11.1)), rows)).toContain('one that is not: MISSED');
  });
});

test('a session of each shape but the bare one has attributes of that many bytes, and three types of events', () => {
  for (const { name, values } of SHAPES.filter((shape) => shape.name !== 'bare')) {
    const texts = values.flatMap((value) => (value === null ? [] : [Buffer.from(value).toString()]));
    const said = texts.map((text) => JSON.parse(text) as { type: string; attributes?: Record<string, string> });
    expect(new Set(said.map(({ type }) => type)).size).toBe(3);
    const attributes = said[0]!.attributes!;
    const bytes = Object.entries(attributes).reduce((sum, [key, value]) => sum + key.length + value.length, 0);
    expect({ name, bytes }).toEqual({ name, bytes: ATTRIBUTE_BYTES });
  }
});

test('the records of sessions come session by session, each to one partition', () => {
  const records = [...recordsOf({ values: [null, null] }, { from: 1, to: 3, seed: 1, partitions: 2 })];
  expect(records.map(({ partition }) => partition)).toEqual([1, 1, 0, 0]);
  expect(new Set(records.map(({ key }) => String(key))).size).toBe(2);
});
