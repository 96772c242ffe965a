// One thing wrong of a world of tasks that is sound, for each breach that its judge knows.
import { describe, expect, test } from '@jest/globals';
import type { LogRecord } from '@flatline/cluster';
import type { BegunAttempt, GivenOutcome } from './ledger.ts';
import { outcomesIn } from './task-evidence.ts';
import { judgeTasks, type TaskEvidence, unfinishedIn } from './task-judge.ts';

const utf8 = new TextEncoder();
const DUE = 'tasks-due';
const VALUE = '{"fate":"quick"}';
type Fields = Readonly<Record<string, unknown>>;

const record = (
  timestamp: number,
  value: string | null,
  headers: Readonly<Record<string, string>> = {},
): Omit<LogRecord, 'offset'> => ({
  timestamp,
  logAppendTime: true,
  key: utf8.encode(`${DUE}/0-0`),
  value: value === null ? null : utf8.encode(value),
  headers: Object.entries(headers).map(([name, of]) => ({ name, value: utf8.encode(of) })),
});
const json = (timestamp: number, fields: Fields): Omit<LogRecord, 'offset'> =>
  record(timestamp, JSON.stringify(fields));
const begun = (fields: Partial<BegunAttempt>): BegunAttempt => ({
  id: '0-0',
  attempt: 1,
  token: 5,
  worker: 'w0',
  at: 1_100,
  askedAt: fields.at ?? 1_100,
  firstHeldAt: 1_100,
  lastHeldAt: 1_400,
  toldAt: undefined,
  endedAt: 1_500,
  result: 'done',
  suspendedMs: 0,
  ...fields,
});
const outcome = (fields: Fields): Fields => ({
  id: '0-0',
  state: 'DONE',
  attempt: 1,
  token: 5,
  worker: 'w0',
  finishedAt: 1_500,
  result: 'done',
  ...fields,
});
const given = (fields: Partial<GivenOutcome>): GivenOutcome => ({
  worker: 'w0',
  id: '0-0',
  attempt: 1,
  token: 5,
  at: 1_500,
  wasSuspended: false,
  wasLost: false,
  acknowledgedAt: 1_510,
  ...fields,
});

/** Parts of a world, each replaced by one that is wrong. */
interface Parts {
  readonly rules: TaskEvidence['rules'];
  readonly runs: readonly Omit<LogRecord, 'offset'>[];
  readonly results: readonly Omit<LogRecord, 'offset'>[];
  readonly requests: readonly Omit<LogRecord, 'offset'>[];
  readonly answers: readonly Omit<LogRecord, 'offset'>[];
  readonly begun: readonly BegunAttempt[];
  readonly given: readonly GivenOutcome[];
  readonly commits: TaskEvidence['ledger']['commits'];
}

const RULES: Parts['rules'] = {
  runs: DUE,
  isLeased: true,
  leaseTimeoutMs: 2_000,
  timeoutMs: 5_000,
  attempts: 2,
  firstMs: 500,
  mostMs: 1_000,
  retryBy: 'schedule',
};
const granted = (at: number, token: number, worker: string) =>
  json(at, { type: 'GRANTED', leaseId: `${DUE}/0-0`, token, requestId: `${worker}/1` });
const released = (at: number, token: number) => json(at, { type: 'RELEASED', leaseId: `${DUE}/0-0`, token });
const renewed = (at: number, token: number) => record(at, '', { 'flatline-token': String(token) });
const givenBack = (at: number, token: number) => record(at, null, { 'flatline-token': String(token) });

/** One task, done at its first attempt. */
const ONE: Parts = {
  rules: RULES,
  runs: [record(1_000, VALUE)],
  answers: [granted(1_050, 5, 'w0'), released(1_520, 5)],
  requests: [renewed(1_060, 5), givenBack(1_515, 5)],
  results: [json(1_505, outcome({}))],
  begun: [begun({})],
  given: [given({})],
  commits: [{ partition: 0, offset: 1, at: 1_600 }],
};
/** Taken over by another, since the first stood still; and failed there, for good at its second attempt. */
const again = { 'flatline-schedule-id': `${DUE}/0-0/2`, 'task-id': '0-0', 'task-attempt': '2', 'task-due-at': '1' };
const failed = { result: undefined, error: 'no' } as const;
const TWO: Parts = {
  rules: RULES,
  runs: [record(1_000, VALUE), record(5_600, VALUE, again)],
  answers: [
    granted(1_050, 5, 'w0'),
    json(3_100, { type: 'EXPIRED', leaseId: `${DUE}/0-0`, token: 5 }),
    granted(3_100, 7, 'w1'),
    released(5_100, 7),
    granted(5_700, 9, 'w1'),
    released(6_200, 9),
  ],
  requests: [
    renewed(1_060, 5),
    renewed(3_110, 7),
    renewed(4_400, 7),
    givenBack(5_090, 7),
    renewed(5_710, 9),
    givenBack(6_190, 9),
  ],
  results: [
    json(
      5_010,
      outcome({
        ...failed,
        state: 'FAILED',
        token: 7,
        worker: 'w1',
        finishedAt: 5_000,
        retryAt: 5_500,
        retryBy: 'schedule',
      }),
    ),
    json(
      6_110,
      outcome({
        ...failed,
        state: 'POISON',
        attempt: 2,
        token: 9,
        worker: 'w1',
        finishedAt: 6_100,
        valueBase64: Buffer.from(VALUE).toString('base64'),
      }),
    ),
    json(6_500, outcome({})),
  ],
  begun: [
    begun({}),
    begun({
      token: 7,
      worker: 'w1',
      at: 3_200,
      firstHeldAt: 3_200,
      lastHeldAt: 4_900,
      endedAt: 5_000,
      result: undefined,
    }),
    begun({
      attempt: 2,
      token: 9,
      worker: 'w1',
      at: 5_800,
      firstHeldAt: 5_800,
      lastHeldAt: 6_000,
      endedAt: 6_100,
      result: undefined,
    }),
  ],
  given: [
    given({ acknowledgedAt: undefined }),
    given({ token: 7, worker: 'w1', at: 5_000, acknowledgedAt: 5_020 }),
    given({ attempt: 2, token: 9, worker: 'w1', at: 6_100, acknowledgedAt: 6_120 }),
  ],
  commits: [
    { partition: 0, offset: 1, at: 5_300 },
    { partition: 0, offset: 2, at: 6_300 },
  ],
};

/** Without leases: one stood still, another has done it meanwhile, and the first has failed then. */
const APART: Parts = {
  rules: { ...RULES, isLeased: false },
  runs: TWO.runs,
  answers: [],
  requests: [],
  results: [
    json(4_000, outcome({ token: undefined, worker: 'w1', finishedAt: 3_990 })),
    json(
      5_010,
      outcome({
        ...failed,
        state: 'FAILED',
        token: undefined,
        finishedAt: 5_000,
        retryAt: 5_500,
        retryBy: 'schedule',
      }),
    ),
  ],
  begun: [
    begun({ token: undefined, endedAt: 5_000, result: undefined }),
    begun({ token: undefined, worker: 'w1', at: 3_500, endedAt: 3_990 }),
  ],
  given: [
    given({ token: undefined, worker: 'w1', at: 3_990, acknowledgedAt: 4_010 }),
    given({ token: undefined, at: 5_000, acknowledgedAt: 5_020 }),
  ],
  commits: [
    { partition: 0, offset: 1, at: 4_100 },
    { partition: 0, offset: 2, at: 5_700 },
  ],
};

function evidenceOf({ rules, begun: all, given: outcomes, commits, ...topics }: Parts): TaskEvidence {
  const placed = (records: Parts['runs']) => [records.map((each, offset) => ({ ...each, offset }))];
  const { runs, results, requests, answers } = topics;
  return {
    rules,
    runs: placed(runs),
    results: placed(results),
    requests: placed(requests),
    answers: placed(answers),
    ledger: {
      begun: [...all],
      given: [...outcomes],
      commits,
      workers: new Map([
        ['w0', 0],
        ['w1', 0],
      ]),
    },
  };
}

const judge = (parts: Parts): readonly string[] => judgeTasks(evidenceOf(parts));
const replaced = <T>(all: readonly T[], at: number, fields: Partial<T>): T[] =>
  all.map((each, i) => (i === at ? { ...each, ...fields } : each));

describe('tasks that are worked off as they have to be', () => {
  test.each([
    ['one that is done', ONE],
    ['one that is taken over, fails, and whose former worker is late', TWO],
    ['one that has failed without a lease once another had done it', APART],
  ])('[T1][T2][T3] %s is sound', (_what, parts) => {
    expect(judge(parts)).toEqual([]);
  });

  test('[T1] a late record ends no task', () => {
    const late = { ...TWO, results: [TWO.results[0]!, TWO.results[2]!] };
    expect(unfinishedIn(evidenceOf(late))).toEqual(['[T1] 0-0 is FAILED in the end']);
  });

  test('[T2] without leases a failure behind an end does not count, nor a poison behind what was done', () => {
    const [done, late] = APART.results;
    const poison = outcome({ ...failed, state: 'POISON', attempt: 2, token: undefined, valueBase64: '' });
    expect(unfinishedIn(evidenceOf({ ...APART, results: [late!, done!] }))).toEqual([]);
    const counts = outcomesIn(
      evidenceOf({ ...APART, results: [late!, json(4_500, poison), late!, done!, json(6_000, poison)] }),
    );
    expect(counts.map((each) => each.counts)).toEqual([true, true, false, true, false]);
  });

  test('[T2] a machine that slept believed for longer, and its token tells', () => {
    const slept = { lastHeldAt: 4_000, suspendedMs: 3_000 };
    expect(judge({ ...TWO, begun: replaced(TWO.begun, 0, slept) })).toEqual([]);
  });
});

const wrong: readonly (readonly [what: string, words: string, parts: Parts])[] = [
  ['a task that is not recorded', 'is not recorded in the end', { ...ONE, results: [], commits: [] }],
  [
    'a result that no handler returned',
    'no handler has returned "other"',
    { ...ONE, results: [json(1_505, outcome({ result: 'other' }))] },
  ],
  [
    'a failure of a handler that has not failed',
    'no handler has failed',
    { ...TWO, begun: replaced(TWO.begun, 1, { result: 'done' }) },
  ],
  ['a retry beyond the last attempt', 'where there are 3 attempts', { ...TWO, rules: { ...RULES, attempts: 3 } }],
  ['a poison without its message', 'without its message', { ...TWO, runs: [record(1_000, 'other'), TWO.runs[1]!] }],
  ['a pause that is too short', 'and tried again after 500 ms', { ...TWO, rules: { ...RULES, firstMs: 900 } }],
  [
    'an attempt that does not wait',
    'does not wait 500 ms',
    { ...TWO, runs: replaced(TWO.runs, 1, { timestamp: 1_200 }) },
  ],
  [
    'two tasks at a time',
    'has not done with 0-0',
    { ...TWO, begun: replaced(TWO.begun, 1, { endedAt: undefined }), given: TWO.given },
  ],
  [
    'a place that is committed too early',
    'the place 0-1 is committed before 0-0/1 is recorded',
    { ...ONE, commits: replaced(ONE.commits, 0, { at: 1_100 }) },
  ],
  ['a token that was not granted', 'which was granted to none', { ...ONE, begun: [begun({ token: undefined })] }],
  ['a token of another', 'which was granted to w1', { ...ONE, answers: [granted(1_050, 5, 'w1'), released(1_520, 5)] }],
  [
    'a belief beyond the lease',
    '340 ms after that was over',
    { ...TWO, begun: replaced(TWO.begun, 0, { lastHeldAt: 3_400, firstHeldAt: undefined }) },
  ],
  [
    'two who hold it',
    'two hold 0-0: w0 by 5 and w1 by 7',
    { ...TWO, begun: replaced(TWO.begun, 0, { lastHeldAt: 3_250 }) },
  ],
  [
    'a lease that is granted while another lasts',
    'is granted as 7, and 5 is not over',
    { ...TWO, answers: TWO.answers.toSpliced(1, 1) },
  ],
  ['a grant for two attempts', 'is begun twice', { ...ONE, begun: [begun({}), begun({ at: 1_600, endedAt: 1_700 })] }],
  ['a record after the lease', 'after its lease 5 was over', { ...TWO, given: replaced(TWO.given, 0, { at: 3_500 }) }],
  [
    'a lease that is given back too early',
    'gives its lease 5 back before',
    { ...ONE, requests: [renewed(1_060, 5), givenBack(1_200, 5)] },
  ],
  [
    'a task that is begun again once it is over',
    'whose end was recorded before',
    {
      ...ONE,
      answers: [...ONE.answers, granted(9_000, 8, 'w1')],
      requests: [...ONE.requests, renewed(9_010, 8)],
      begun: [
        ...ONE.begun,
        begun({ token: 8, worker: 'w1', at: 9_100, firstHeldAt: undefined, lastHeldAt: undefined }),
      ],
    },
  ],
  [
    'a task that is begun again without leases once it is over',
    'w1 works on 0-0 under undefined, whose end was recorded before',
    { ...APART, begun: [...APART.begun, begun({ attempt: 2, token: undefined, worker: 'w1', at: 5_800 })] },
  ],
];

describe('a world of tasks with one thing wrong', () => {
  test.each(wrong)('[T1][T2][T3] %s is found', (_what, words, parts) => {
    expect(judge(parts).filter((breach) => breach.includes(words))).not.toEqual([]);
  });
});
