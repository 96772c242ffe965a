import { describe, expect, test } from '@jest/globals';
import type { OutputRecord } from '@flatline/client';
import { outcomeOf } from '../scenario.ts';
import { recoveries } from '../stage/trial.ts';
import type { LogRecord } from '../stage/topic-dump.ts';
import { expectationOf } from './expectation.ts';
import { type Evidence, judge } from './verdict.ts';

const TIMEOUT_MS = 100;
const refusalOf = ({ key }: LogRecord): 'content' | undefined => (key === 'bad' ? 'content' : undefined);

const record = (offset: number, timestamp: number, key: string | null, value: string | null = ''): LogRecord => ({
  partition: 0,
  offset,
  timestamp,
  key,
  headers: new Map(),
  value: value === null ? null : Buffer.from(value),
});

/** `a` beats twice, is silent, and comes again; `b` ends; `bad` is refused; a sentinel proves the rest. */
const input = [
  record(0, 1000, 'a', '{"sequence":0}'),
  record(1, 1050, 'a', '{"sequence":1}'),
  record(2, 1060, 'a', '{"sequence":1}'),
  record(3, 1070, 'b'),
  record(4, 1080, 'b', null),
  record(5, 1090, 'bad', '?'),
  record(6, 1160, 'a', '{"sequence":2}'),
  record(7, 1300, 'sentinel'),
];

const folded = [expectationOf(input, 0, { timeoutMs: TIMEOUT_MS, byArrival: true, refusalOf })];

type Summary = Extract<OutputRecord, { kind: 'summary' }>;
type Tombstone = Extract<OutputRecord, { kind: 'tombstone' }>;

const outputs = folded[0]!.closes.flatMap((close, index): [Summary, Tombstone] => {
  const at = { partition: 0, offset: 2 * index, timestamp: Math.max(close.deadlineAt, 1400) };
  const key = Buffer.from(close.key);
  const summary = { ...close.summary, key } as unknown as Summary['summary'];
  return [
    { kind: 'summary', ...at, summary },
    { kind: 'tombstone', ...at, key, incarnation: close.incarnation },
  ];
});

const deadLetter = { ...record(0, 1400, 'bad', '?'), headers: new Map([['flatline-offset', '5']]) };

const sound: Evidence = {
  folded,
  sentinels: [7],
  input: [input],
  outputs,
  deadLetters: [[deadLetter]],
  stampsAreTrue: true,
  presentDecides: false,
  ledger: [
    { sessionId: 'a', acknowledged: 3, duplicates: 1, ended: 'silence' },
    { sessionId: 'b', acknowledged: 1, duplicates: 0, ended: 'null' },
  ],
};

const without = (incarnation: string): OutputRecord[] =>
  outputs.filter((each) => (each.kind === 'summary' ? each.summary.incarnation : each.incarnation) !== incarnation);

const changed = (incarnation: string, changes: object, at: Partial<Summary> = {}): OutputRecord[] =>
  outputs.map((each) =>
    each.kind === 'summary' && each.summary.incarnation === incarnation
      ? { ...each, ...at, summary: { ...each.summary, ...changes } }
      : each,
  );

describe('the naive rules', () => {
  test('[S1][S2][S3][S5] three closes, by silence and by an end, with their counts', () => {
    expect(
      folded[0]!.closes.map(({ incarnation, summary, provenBy }) => [
        incarnation,
        summary['reason'],
        summary['eventCount'],
        summary['duplicateCount'],
        summary['deadlineAt'],
        summary['lastOffset'],
        provenBy,
      ]),
    ).toEqual([
      ['0-3', 'ENDED', 2, 0, 1180, 4, 4],
      ['0-0', 'TIMEOUT', 2, 1, 1160, 2, 6],
      ['0-6', 'TIMEOUT', 1, 0, 1260, 6, 7],
    ]);
    expect(folded[0]!.deadLetters).toEqual([5]);
  });

  test('[C1][C6] by the stamps of producers: what is refused for its stamp moves no clock, one from the past closes itself', () => {
    const stamped = [
      record(0, 1000, 'a'),
      record(1, 9_000_000, 'far'),
      record(2, -1, 'none'),
      record(3, 10, 'old'),
      record(4, 1090, 'a'),
    ];
    const rules = { timeoutMs: TIMEOUT_MS, byArrival: false };
    const { closes, deadLetters } = expectationOf(stamped, 0, {
      ...rules,
      refusalOf: ({ key }) => (key === 'far' ? 'stamp' : undefined),
    });
    expect(closes.map(({ incarnation, deadlineAt, provenBy }) => [incarnation, deadlineAt, provenBy])).toEqual([
      ['0-3', 110, 3],
    ]);
    expect(deadLetters).toEqual([1, 2]);
  });
});

describe('the verdict', () => {
  test('finds nothing where all is right', () => {
    expect(judge(sound)).toMatchObject({ violations: [], closes: 3, records: 8, closeDelaysMs: [140, 240] });
  });

  test.each<[string, string, Partial<Evidence>]>([
    ['V1', 'a double close', { outputs: [...outputs, outputs[0]!] }],
    ['O2', 'a missing tombstone', { outputs: outputs.filter((each) => each !== outputs[1]) }],
    ['O2', 'a tombstone before its summary', { outputs: [outputs[1]!, outputs[0]!, ...outputs.slice(2)] }],
    ['V2', 'a dropped close', { outputs: without('0-0') }],
    ['V3', 'a close the log does not show', { outputs: changed('0-0', { incarnation: '0-2' }) }],
    ['V3', 'a close 1 ms before its deadline', { outputs: changed('0-6', {}, { timestamp: 1259 }) }],
    ['V4', 'an ignored last heartbeat', { outputs: changed('0-0', { eventCount: 1 }) }],
    ['V4', 'another deadline', { outputs: changed('0-0', { deadlineAt: 1161 }) }],
    ['V4', 'another reason', { outputs: changed('0-3', { reason: 'TIMEOUT' }) }],
    ['X3', 'an acknowledged record that is not in the log', { input: [input.slice(1)] }],
    ['I1', 'a refused record without a dead letter', { deadLetters: [[]] }],
    ['I1', 'a dead letter twice', { deadLetters: [[deadLetter, deadLetter]] }],
    ['I1', 'a sound record as a dead letter', { deadLetters: [[deadLetter, record(1, 1400, 'a')]] }],
  ])('%s catches %s', (rule, _what, mutant) => {
    expect(judge({ ...sound, ...mutant }).violations.map((each) => each.rule)).toContain(rule);
  });

  test('does not believe stamps of a clock that was made wrong', () => {
    const outputsOfWrongClock = changed('0-6', {}, { timestamp: 1259 });
    expect(judge({ ...sound, stampsAreTrue: false, outputs: outputsOfWrongClock })).toMatchObject({
      violations: [],
      closeDelaysMs: [],
    });
  });

  test('what the sentinels do not prove need not be closed', () => {
    expect(judge({ ...sound, sentinels: [5], outputs: without('0-6') }).violations).toEqual([]);
  });
});

describe('a run', () => {
  const result = {
    variant: '',
    armed: 2,
    fired: 2,
    violations: [],
    recoveriesMs: [],
    closes: 1,
    records: 1,
    closeDelayMaxMs: undefined,
    facts: {},
  };

  test('is invalid where a fault did not happen, or nothing was there to go wrong', () => {
    expect(outcomeOf(result)).toBe('passed');
    expect(outcomeOf({ ...result, fired: 1 })).toBe('invalid');
    expect(outcomeOf({ ...result, armed: 0, fired: 0 })).toBe('invalid');
    expect(outcomeOf({ ...result, closes: 0 })).toBe('invalid');
  });

  test('is red with a violation, whether its faults happened or not', () => {
    const violations = [{ rule: 'V1', subject: '', detail: '' }];
    expect(outcomeOf({ ...result, fired: 0, violations })).toBe('violated');
  });

  test('has recovered when something came after a fault and before the next', () => {
    expect(recoveries([100, 200, 300], [90, 150, 310])).toEqual([50, 10]);
  });
});
