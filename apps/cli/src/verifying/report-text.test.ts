import { expect, test } from '@jest/globals';
import type { VerificationReport } from '@flatline/oracle';
import { reportText } from './report-text.ts';

const NONE = { count: 0, min: undefined, p50: undefined, p99: undefined, max: undefined };

const clean: VerificationReport = {
  violationCount: 0,
  violations: [],
  records: { input: 12_345, changelog: 67, output: 8 },
  commits: 60,
  incarnations: 5,
  closed: 4,
  open: 1,
  delaysMs: { count: 4, min: 1, p50: 20, p99: 90, max: 95 },
  delaysByCauseMs: { caughtUp: { count: 4, min: 1, p50: 20, p99: 90, max: 95 }, backlog: NONE, unproved: NONE },
  misplacedKeys: { count: 0, example: undefined },
  reach: {
    opened: 5,
    timeouts: 3,
    ends: 1,
    maxDurations: 0,
    evictions: 0,
    duplicates: 0,
    badRecords: 0,
    clockRecords: 2,
    claims: 1,
    owners: 1,
    producers: 1,
    abortedTransactions: 0,
    truncations: 0,
    formerTypeRecords: 0,
    routed: 0,
    deliveriesKept: 0,
    deliveriesGivenUp: 0,
    recordsBeforeOrigin: 0,
  },
  settingsDiffer: [],
  undecidedCount: 0,
  undecided: [],
};

const VISITS = { name: 'visits', kind: 'session' } as const;

test('a clean report says what was looked at, how long closes took, and what happened', () => {
  expect(reportText(VISITS, clean).split('\n')).toEqual([
    'visits: no violation',
    '  records    12,345 input, 67 changelog, 8 output; 60 commits',
    '  sessions   5 opened, 4 closed once and as the input says, 1 open',
    '  delay      p50 20 ms, p99 90 ms, most 95 ms from deadline to commit',
    '  reached    opened 5, timeouts 3, ends 1, clockRecords 2, claims 1, owners 1, producers 1',
  ]);
});

test('[V10] a report says that deliveries were looked at, where they were, and what was found', () => {
  const line = (reach: VerificationReport['reach']): string | undefined =>
    reportText(VISITS, { ...clean, reach }, true)
      .split('\n')
      .find((each) => each.startsWith('  deliveries'));
  expect(line(clean.reach)).toBe('  deliveries 0 kept, 0 given up; what is delivered at once leaves no record');
  expect(line({ ...clean.reach, deliveriesKept: 1_200, deliveriesGivenUp: 3 })).toMatch(/ 1,200 kept, 3 given up;/);
});

test('a report names what a pipeline of another kind keeps', () => {
  const lines = reportText({ name: 'later', kind: 'schedule' }, clean).split('\n');
  expect(lines[2]).toBe('  schedules  5 made, 4 runs made once and as the input says, 1 open');
});

test('[V2] what was not judged stands in the verdict, and last', () => {
  const lines = reportText(VISITS, {
    ...clean,
    undecidedCount: 1,
    undecided: ['in-0: no commit covers 7 records'],
  }).split('\n');
  expect(lines[0]).toBe('visits: no violation, 1 undecided');
  expect(lines.at(-1)).toBe('  undecided  in-0: no commit covers 7 records');
});

test('[V2] what was not judged and is not listed is counted', () => {
  const lines = reportText(VISITS, { ...clean, undecidedCount: 1_002, undecided: ['one', 'other'] }).split('\n');
  expect(lines[0]).toBe('visits: no violation, 1,002 undecided');
  expect(lines.slice(-3)).toEqual(['  undecided  one', '  undecided  other', '  undecided  and 1,000 more']);
});

test('[I3] each violation has its rule and place; keys cannot command the terminal; what is left out is counted', () => {
  const violation = { rule: 'V1', topic: 'out', partition: 3, offset: 9, key: 'a\u001b[2J', what: 'is closed twice' };
  const nowhere = {
    rule: 'V12',
    topic: 'in',
    partition: undefined,
    offset: undefined,
    key: undefined,
    what: 'no kill',
  };
  const lines = reportText(VISITS, {
    ...clean,
    violationCount: 1_002,
    violations: [violation, nowhere],
    undecidedCount: 1,
    undecided: ['in-0: the end'],
  }).split('\n');
  expect(lines[0]).toBe('visits: 1,002 violations, 1 undecided');
  expect(lines.slice(-4)).toEqual([
    '  undecided  in-0: the end',
    '  V1  out-3 offset 9 key a\\u001b[2J: is closed twice',
    '  V12 in: no kill',
    '  and 1,000 more; --json has the first 2',
  ]);
});

test('[V9] closes that waited for a backlog, or for a gap in the input, are not said to have been closed late', () => {
  const late = { count: 7, min: 6_000, p50: 9_000, p99: 299_000, max: 299_000 };
  const delaysByCauseMs = { ...clean.delaysByCauseMs, backlog: late, unproved: { ...late, count: 1, max: 24_000 } };
  const text = reportText(VISITS, { ...clean, delaysByCauseMs });
  expect(text).toContain('p99 90 ms, most 95 ms from deadline to commit');
  expect(text).toContain('late       7 closes made from a backlog: most 299000 ms');
  expect(text).toContain('late       1 close behind a gap in the input');
});

test('[I9] keys in two places are said with an example, and with the remedy', () => {
  const example = { key: 'cart-7', partition: 3, belongsTo: 1, offset: 42 };
  const text = reportText(VISITS, { ...clean, misplacedKeys: { count: 12, example } });
  expect(text).toContain(
    '12 keys in another partition than murmur2 gives them, such as cart-7: at offset 42 of partition 3',
  );
  expect(text).toContain('partitioner=murmur2_random');
});

test('[V4] settings in force that are not those of the file are named, and are no violation', () => {
  const one = { setting: 'timeoutMs', inForce: 5_000, inFile: 9_000, partitions: 1, partition: 3 };
  const all = { setting: 'maxDurationMs', inForce: null, inFile: 'unlimited', partitions: 4, partition: 0 };
  const lines = reportText(VISITS, { ...clean, settingsDiffer: [one, all] }).split('\n');
  expect(lines[0]).toBe('visits: no violation');
  expect(lines.slice(-2)).toEqual([
    expect.stringContaining(
      '  settings   timeoutMs is 5000 in force, as the last commits say (partition 3), and 9000 in the file',
    ),
    expect.stringContaining(
      'maxDurationMs is null in force, as the last commits say (4 partitions), and "unlimited" in the file',
    ),
  ]);
});
