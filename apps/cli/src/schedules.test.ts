// Mistakes of a person with schedules and entries, found before a broker is asked.
import { afterAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cli } from './cli.fixture.ts';
import { entryDetails, entryTable, entryValue } from './entries/entry-text.ts';
import { ExitCode } from './exit-code.ts';

const folder = mkdtempSync(join(tmpdir(), 'flatline-schedules-'));
const pipeline = (name: string, kind: string, more: object = {}): object => ({
  name,
  kind,
  input: { topic: `${name}-in` },
  output: { topic: `${name}-out` },
  ...more,
});
const pipelines = [
  pipeline('later', 'schedule', { maxHorizonMs: '30d', maxMessageBytes: 100 }),
  pipeline('reindex', 'debounce', { waitMs: '2s' }),
  pipeline('leaders', 'lease', { timeoutMs: '10s' }),
  pipeline('tenants', 'lease', { timeoutMs: '10s' }),
];
// A closed port: whatever asks a broker is refused at once.
writeFileSync(
  join(folder, 'flatline.config.json'),
  JSON.stringify({ application: 'a', brokers: ['127.0.0.1:1'], pipelines }),
);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('schedules and entries at the command line', () => {
  test.each([
    [['schedules', 'add', 'anna'], 'no-schedule: one of the flags --due-at, --delay, --every, --cron is needed'],
    [
      ['schedules', 'add', 'anna', '--due-at', '2099-01-01T00:00:00Z', '--delay', '1h'],
      'only one of --due-at and --delay',
    ],
    [['schedules', 'add', 'anna', '--due-at', 'tomorrow'], 'the flag --due-at is no instant'],
    [['schedules', 'add', 'anna', '--due-at', '2099-01-01T00:00:00Z'], 'beyond-horizon'],
    [['schedules', 'add', 'anna', '--delay', 'soon'], '--delay'],
    [['schedules', 'add', 'anna', '--delay', '3'], 'with its unit'],
    [['schedules', 'add', 'anna', '--cron', '* *'], 'invalid-cron'],
    [['schedules', 'add', 'anna', '--cron', '0 0 31 2 *'], 'never-due'],
    [['schedules', 'add', 'anna', '--cron', '0 7 * * *', '--time-zone', 'Europe/Atlantis'], 'invalid-time-zone'],
    [['schedules', 'add', 'anna', '--delay', '1h', '--id', ''], 'invalid-schedule-id'],
    [
      ['schedules', 'add', 'anna', '--delay', '1h', '--target', 'nowhere'],
      '--target nowhere is none of targets, and this pipeline has none',
    ],
    [['schedules', 'add', 'anna', '--delay', '1h', '--value', 'x'.repeat(200)], 'message-too-large'],
    [['schedules', 'add', 'anna', '--delay', '1h', '--value', 'x', '--value-file', 'y'], 'only one of them'],
    [['schedules', 'add', 'anna', '--delay', '1h', '--value-file', 'nowhere'], 'cannot be read'],
    [['schedules', 'add', 'anna', '--delay', '1h', '--header', 'x'], 'name=value'],
    [['schedules', 'add', 'anna', '--delay', '1h', '--header', 'flatline-cron=x'], 'own'],
    [['schedules', 'add', 'x'.repeat(513), '--delay', '1h'], 'maxKeyBytes is 512'],
    [['schedules', 'add'], "missing required argument 'key'"],
    [['schedules', 'stop', 'anna'], "unknown command 'stop'"],
    [['schedules', 'pause', 'anna', '--cron', 'x'], "unknown option '--cron'"],
    [['schedules', 'cancel', 'anna', '--pipeline', 'leaders'], 'of kind "lease", not "schedule"'],
    [['windows', 'flush'], "missing required argument 'key'"],
    [['windows', 'flush', 'x'.repeat(513)], 'maxKeyBytes is 512'],
    [['windows', 'cancel', 'doc', '--pipeline', 'later'], 'of kind "schedule", not "debounce"'],
    [['windows', 'cancel', 'doc', '--id', 'a'], "unknown option '--id'"],
    [['windows', 'pause', 'doc'], "unknown command 'pause'"],
    [['schedules', 'list', '--limit', '-1'], '--limit'],
    [['schedules', 'get', 'a', '--base64'], 'is not base64'],
    [['leases', 'list'], 'the configuration has leaders, tenants'],
    [['leases', 'list', '--pipeline', 'others'], 'the configuration has later, reindex, leaders, tenants'],
    [['sessions', 'list'], 'no pipeline of kind "session"'],
  ])('[I1][I4] %j: exit code 2, and what is wrong', async (args, hint) => {
    const { exitCode, stdout, stderr } = await cli(args, { folder });
    expect({ exitCode, stdout }).toEqual({ exitCode: ExitCode.usage, stdout: '' });
    expect(stderr).toContain(hint);
  });

  test('what is right needs a broker', async () => {
    for (const line of [
      'schedules add anna --delay 1h',
      'schedules pause anna',
      'schedules list',
      'leases get a --pipeline tenants',
      'windows list',
      'windows get doc',
      'windows flush doc',
      'windows cancel doc',
    ])
      expect((await cli(line.split(' '), { folder })).exitCode).toBe(ExitCode.unreachable);
  });
});

describe('an entry', () => {
  const key = Buffer.from('anna');
  const schedule = {
    scheduleId: 'dentist',
    schedule: '3-17',
    dueAt: 1_800_000_000_000,
    runs: 2,
    paused: false,
    parked: false,
    everyMs: 3_600_000,
    cron: undefined,
    headers: [{ name: 'trace', value: Buffer.from('\u001b[31m') }],
    value: Buffer.from('{"a":1}'),
  };

  test('[I3] as a line under its heading, and in full; nothing that it says reaches the terminal', () => {
    const { heading, line: lineOf } = entryTable('schedule', 200);
    const line = lineOf({ key, entry: schedule });
    expect(line).toMatch(/^anna {26}2027-01-15 08:00:00 {2}dentist {11}2 {7}every 1 h/);
    for (const [name, value] of [
      ['due', '2027'],
      ['id', 'dentist'],
      ['value', '{"a"'],
    ] as const)
      expect([name, heading.indexOf(name)]).toEqual([name, line.indexOf(value)]);
    expect(entryDetails(key, schedule)).toContain('dueAt           2027-01-15 08:00:00 UTC (1800000000000)');
    expect(entryDetails(key, schedule)).toContain('header          trace: \\u001b[31m');
  });

  test('[D3][Q2] that is parked or paused says which in place of when it is due', () => {
    const lineOf = (more: object): string => entryTable('schedule', 200).line({ key, entry: { ...schedule, ...more } });
    expect(lineOf({ paused: true, parked: true })).toMatch(/^anna {26}parked {15}dentist/);
    expect(lineOf({ paused: true })).toMatch(/^anna {26}paused {15}dentist/);
  });

  test.each(['session', 'lease', 'debounce', 'schedule'] as const)(
    'as a line fits a terminal of 80 columns: %s',
    (kind) => {
      const long = Buffer.from('k'.repeat(200));
      const attributes = new Map([['host', 'h'.repeat(200)]]);
      const times = { deadlineAt: 1.8e12, lastSeenAt: 1.8e12, firesAt: 1.8e12 };
      const counts = { eventCount: 9_999, count: 9_999, bytes: 1_000_000, token: 2 ** 40 + 7, waiters: [] };
      const entry = {
        ...schedule,
        ...times,
        ...counts,
        attributes,
        incarnation: '31-1000',
        windowId: '31-1000',
        value: long,
      };
      const { heading, line } = entryTable(kind, 80);
      expect([heading.length, line({ key: long, entry }).length].map((length) => length <= 80)).toEqual([true, true]);
      expect(line({ key: long, entry })).toMatch(/^k{11,}….*2027-01-15 08:00:00/);
      expect(entryTable(kind, Infinity).line({ key: long, entry })).toContain('k'.repeat(200));
    },
  );

  test('as JSON: bytes as text or base64, maps as objects, a key that is no text with its bytes', () => {
    expect(entryValue(key, schedule)).toMatchObject({
      key: 'anna',
      value: { length: 7, text: '{"a":1}' },
      headers: [{ name: 'trace', value: { length: 5, text: '\u001b[31m' } }],
    });
    const lease = { token: 5, attributes: new Map([['__proto__', 'x']]), waiters: [] };
    expect(JSON.stringify(entryValue(Uint8Array.of(0xff), lease))).toBe(
      '{"key":"\ufffd","keyBase64":"/w==","token":5,"attributes":{"__proto__":"x"},"waiters":[]}',
    );
    expect(entryTable('lease', 160).line({ key, entry: { ...lease, deadlineAt: 0, requestId: 'r' } })).toContain(
      '__proto__=x r',
    );
  });

  test('[I3] attributes are shown, not obeyed, where all of an entry is; and who waits, as the entry itself', () => {
    const attributes = new Map([['host', '\u001b[31m']]);
    const waiter = { requestId: 'w', attributes, offset: 5, timeoutMs: 10_000, waitsUntil: 1_800_000_000_000 };
    const details = entryDetails(key, { token: 5, attributes, waiters: [waiter] });
    expect(details).toContain('attributes      host=\\u001b[31m');
    expect(details).toContain(
      'waiters         requestId w, attributes host=\\u001b[31m, offset 5, timeoutMs 10 s (10000), ' +
        'waitsUntil 2027-01-15 08:00:00 UTC (1800000000000)',
    );
  });

  test('a value with a line end says so once, in a list as in full', () => {
    const lined = { ...schedule, value: Buffer.from('a\\b\n') };
    const shown = 'a\\\\b\\u000a';
    expect(entryTable('schedule', Infinity).line({ key, entry: lined })).toMatch(
      new RegExp(`  ${shown.replaceAll('\\', '\\\\')}$`),
    );
    expect(entryDetails(key, lined)).toContain(`value           ${shown}`);
  });
});
