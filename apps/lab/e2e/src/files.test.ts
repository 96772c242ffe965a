import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { killAll } from './child.fixture.ts';
import { succeed } from './flatline.fixture.ts';
import { Scenario } from './scenario.fixture.ts';

const TIMEOUT_MS = 60_000;
const START = Date.UTC(2026, 0, 5, 10);

let scenario: Scenario;
afterEach(async () => {
  await killAll();
  await scenario.dispose();
});

/** Two visits of `u1`, a little more than the timeout apart, and one of `u2`, whose page has a comma and quotes. */
const VISITS = [
  { user: 'u1', at: START, page: '/' },
  { user: 'u2', at: START + 1_000, page: '/a,"b"' },
  { user: 'u1', at: START + 30_000, page: '/end' },
  { user: 'u1', at: START + 30_000 + TIMEOUT_MS + 1, page: '/again' },
];

const SESSIONS = [
  { sessionId: 'u1', startedAt: START, durationMs: 30_000, eventCount: 2, attributes: { page: '/end' } },
  { sessionId: 'u1', startedAt: START + 90_001, durationMs: 0, eventCount: 1, attributes: { page: '/again' } },
  { sessionId: 'u2', startedAt: START + 1_000, durationMs: 0, eventCount: 1, attributes: { page: '/a,"b"' } },
];

/** Imports the file and reads the sessions back with the command, as a shell script would. */
async function importAndTail(file: string, format: 'jsonl' | 'csv'): Promise<unknown[]> {
  scenario = await Scenario.create({ timeoutMs: TIMEOUT_MS, timestampType: 'CreateTime', partitions: 2 });
  const { config, input } = scenario;
  const path = join(scenario.folder, `visits.${format}`);
  writeFileSync(path, file);
  const processor = scenario.start();
  const fields = ['--key', 'user', '--time', 'at', '--close', '--json'];
  const imported = await succeed(['import', path, '--topic', input, '--format', format, '--config', config, ...fields]);
  expect(JSON.parse(imported.stdout)).toMatchObject({ records: VISITS.length, skipped: 0 });
  const limit = ['--limit', String(SESSIONS.length)];
  const tail = await succeed(['sessions', 'tail', '--config', config, '--json', '--from-beginning', ...limit]);
  expect(await scenario.stop(processor)).toBe(0);
  return tail.stdout.split('\n').map((line) => JSON.parse(line) as unknown);
}

const closed = (sessions: readonly object[]): unknown =>
  expect.arrayContaining(
    sessions.map((session): unknown =>
      expect.objectContaining({ ...session, kind: 'summary', reason: 'TIMEOUT', timeoutMs: TIMEOUT_MS }),
    ),
  );

describe('a file of events, imported, and its sessions printed', () => {
  test('[S2][S3][C2] JSON lines', async () => {
    const file = VISITS.map((visit) => `${JSON.stringify(visit)}\n`).join('');
    const lines = await importAndTail(file, 'jsonl');
    expect(lines).toHaveLength(SESSIONS.length);
    expect(lines).toEqual(closed(SESSIONS));
  });

  test('[S2][S3][C2] CSV, with quoted fields and ISO times', async () => {
    const rows = VISITS.map(({ user, at, page }) => [
      user,
      new Date(at).toISOString(),
      `"${page.replaceAll('"', '""')}"`,
    ]);
    const file = [['user', 'at', 'page'], ...rows].map((row) => `${row.join(',')}\r\n`).join('');
    const lines = await importAndTail(file, 'csv');
    expect(lines).toHaveLength(SESSIONS.length);
    expect(lines).toEqual(closed(SESSIONS));
  });
});
