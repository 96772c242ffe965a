// Worlds of tasks that are sound, as their logs and ledgers.
import type { LogRecord } from '@flatline/cluster';
import type { BegunAttempt, GivenBack, GivenOutcome } from './ledger.ts';
import type { TaskEvidence } from './task-evidence.ts';

const utf8 = new TextEncoder();
const DUE = 'tasks-due';
const KEY = `${DUE}/0-0`;
const VALUE = '{"fate":"quick"}';
type Fields = Readonly<Record<string, unknown>>;

export const record = (
  timestamp: number,
  value: string | null,
  headers: Readonly<Record<string, string>> = {},
): Omit<LogRecord, 'offset'> => ({
  timestamp,
  logAppendTime: true,
  key: utf8.encode(KEY),
  value: value === null ? null : utf8.encode(value),
  headers: Object.entries(headers).map(([name, of]) => ({ name, value: utf8.encode(of) })),
});
export const json = (timestamp: number, fields: Fields): Omit<LogRecord, 'offset'> =>
  record(timestamp, JSON.stringify(fields));
export const begun = (fields: Partial<BegunAttempt>): BegunAttempt => ({
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
  sleptMs: 0,
  ...fields,
});
export const outcome = (fields: Fields): Fields => ({
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
export interface Parts {
  readonly rules: TaskEvidence['rules'];
  readonly runs: readonly Omit<LogRecord, 'offset'>[];
  readonly results: readonly Omit<LogRecord, 'offset'>[];
  readonly requests: readonly Omit<LogRecord, 'offset'>[];
  readonly answers: readonly Omit<LogRecord, 'offset'>[];
  readonly begun: readonly BegunAttempt[];
  readonly given: readonly GivenOutcome[];
  readonly commits: TaskEvidence['ledger']['commits'];
  readonly back: TaskEvidence['ledger']['givenBack'];
  readonly tasks: readonly string[];
}

export const RULES: Parts['rules'] = {
  runs: DUE,
  isLeased: true,
  leaseTimeoutMs: 2_000,
  timeoutMs: 5_000,
  attempts: 2,
  firstMs: 500,
  mostMs: 1_000,
  retryBy: 'schedule',
};
export const granted = (at: number, token: number, worker: string) =>
  json(at, { type: 'GRANTED', leaseId: `${DUE}/0-0`, token, requestId: `${worker}/1` });
export const released = (at: number, token: number) => json(at, { type: 'RELEASED', leaseId: `${DUE}/0-0`, token });
export const renewed = (at: number, token: number) => record(at, '', { 'flatline-token': String(token) });
const givenBack = (at: number, token: number) => record(at, null, { 'flatline-token': String(token) });
export const back = (worker: string, token: number, at: number): GivenBack => ({ worker, id: '0-0', token, at });

/** One task, done at its first attempt. */
export const ONE: Parts = {
  rules: RULES,
  runs: [record(1_000, VALUE)],
  answers: [granted(1_050, 5, 'w0'), released(1_520, 5)],
  requests: [renewed(1_060, 5), givenBack(1_515, 5)],
  results: [json(1_505, outcome({}))],
  begun: [begun({})],
  given: [given({})],
  commits: [{ partition: 0, offset: 1, at: 1_600 }],
  back: [back('w0', 5, 1_512)],
  tasks: [KEY],
};
/** Taken over by another, since the first stood still; and failed there, for good at its second attempt. */
const again = { 'flatline-schedule-id': `${DUE}/0-0/2`, 'task-id': '0-0', 'task-attempt': '2', 'task-due-at': '1' };
export const failed = { result: undefined, error: 'no' } as const;
export const TWO: Parts = {
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
  back: [back('w1', 7, 5_085), back('w1', 9, 6_185)],
  tasks: [KEY],
};

/** Without leases: one stood still, another has done it meanwhile, and the first has failed then. */
export const APART: Parts = {
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
  back: [],
  tasks: [KEY],
};

export function evidenceOf({
  rules,
  begun: all,
  given: outcomes,
  commits,
  back: ends,
  tasks,
  ...topics
}: Parts): TaskEvidence {
  const placed = (records: Parts['runs']) => [records.map((each, offset) => ({ ...each, offset }))];
  const { runs, results, requests, answers } = topics;
  return {
    rules,
    asked: tasks,
    runs: placed(runs),
    results: placed(results),
    requests: placed(requests),
    answers: placed(answers),
    ledger: {
      begun: [...all],
      given: [...outcomes],
      givenBack: [...ends],
      commits,
      workers: new Map([
        ['w0', 0],
        ['w1', 0],
      ]),
    },
  };
}
