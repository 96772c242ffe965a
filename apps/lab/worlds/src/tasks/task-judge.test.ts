// One thing wrong of a world of tasks that is sound, for each breach that its judge knows.
import { describe, expect, test } from '@jest/globals';
import {
  APART,
  back,
  begun,
  evidenceOf,
  failed,
  granted,
  json,
  ONE,
  outcome,
  type Parts,
  record,
  released,
  renewed,
  RULES,
  TWO,
} from './sound-tasks.fixture.ts';
import { outcomesIn } from './task-evidence.ts';
import { judgeTasks, unfinishedIn } from './task-judge.ts';

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
  ['a poison before the last attempt', 'where there are 3 attempts', { ...TWO, rules: { ...RULES, attempts: 3 } }],
  ['a retry beyond the last attempt', 'where there are 1 attempts', { ...TWO, rules: { ...RULES, attempts: 1 } }],
  ['a task that never came due', 'k1 was asked for, and has no run', { ...ONE, tasks: [...ONE.tasks, 'k1'] }],
  ['what was done beyond its limit', 'took longer than 300 ms', { ...ONE, rules: { ...RULES, timeoutMs: 300 } }],
  ['a place that is never committed', 'no place behind 0-0/1 is committed', { ...ONE, commits: [] }],
  ['a poison without its message', 'without its message', { ...TWO, runs: [record(1_000, 'other'), TWO.runs[1]!] }],
  ['a pause that is too short', 'and tried again after 500 ms', { ...TWO, rules: { ...RULES, firstMs: 900 } }],
  [
    'an attempt that does not wait',
    'does not wait 500 ms',
    { ...TWO, runs: replaced(TWO.runs, 1, { timestamp: 5_100 }) },
  ],
  [
    'an attempt that its worker does not wait for',
    'does not wait 500 ms',
    { ...TWO, rules: { ...RULES, retryBy: 'worker' }, begun: replaced(TWO.begun, 2, { at: 5_490 }) },
  ],
  ['two tasks at a time', 'has not done with 0-0', { ...TWO, begun: replaced(TWO.begun, 1, { endedAt: undefined }) }],
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
    'two who hold it, and one between that never did',
    'two hold 0-0: w0 by 5 and w1 by 7',
    {
      ...TWO,
      begun: [
        ...replaced(TWO.begun, 0, { lastHeldAt: 3_250 }),
        begun({ token: 6, worker: 'w1', at: 3_050, firstHeldAt: undefined, lastHeldAt: undefined }),
      ],
    },
  ],
  [
    'a lease that is granted while another lasts',
    'is granted as 7, and 5 is not over',
    { ...TWO, answers: TWO.answers.toSpliced(1, 1) },
  ],
  ['a grant for two attempts', 'is begun twice', { ...ONE, begun: [begun({}), begun({ at: 1_600, endedAt: 1_700 })] }],
  ['a record after the lease', 'after its lease 5 was over', { ...TWO, given: replaced(TWO.given, 0, { at: 3_500 }) }],
  ['a lease that is given back too early', 'gives its lease 5 back before', { ...ONE, back: [back('w0', 5, 1_509)] }],
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
  [
    'the first attempt, made again where a worker has failed at it',
    'w1 works on 0-0 under 9, whose end was recorded before',
    { ...TWO, begun: replaced(TWO.begun, 2, { attempt: 1 }) },
  ],
];

describe('a world of tasks with one thing wrong', () => {
  test.each(wrong)('[T1][T2][T3] %s is found', (_what, words, parts) => {
    expect(judge(parts).filter((breach) => breach.includes(words))).not.toEqual([]);
  });
});
