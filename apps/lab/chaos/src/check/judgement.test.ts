import { describe, expect, test } from '@jest/globals';
import type { VerificationReport } from '@flatline/oracle';
import { outcomeOf } from '../scenario.ts';
import { recoveries } from '../trial/trial.ts';
import { violationsOf } from './judgement.ts';

const found = { rule: 'V1', topic: 'out', partition: 2, offset: 7, key: 'a', what: 'is closed a second time' };

function report(violations: VerificationReport['violations'], leastDelayMs?: number): VerificationReport {
  const delaysMs = { count: 1, min: leastDelayMs, p50: 20, p99: 20, max: 20 };
  return { violations, delaysMs } as Partial<VerificationReport> as VerificationReport;
}

describe('what the oracle finds', () => {
  test('is told with its rule, its place and its session, as far as there are any', () => {
    const nowhere = { ...found, rule: 'X3', partition: undefined, offset: undefined };
    expect(violationsOf(report([found, nowhere], 0))).toEqual([
      { rule: 'V1', subject: 'out/2@7', detail: 'a: is closed a second time' },
      { rule: 'X3', subject: 'out', detail: 'a: is closed a second time' },
    ]);
    expect(violationsOf(report([{ ...found, key: undefined }]))[0]!.detail).toBe('is closed a second time');
  });

  test('[V3][V9] comes with a close that the broker appended before its deadline', () => {
    expect(violationsOf(report([], -1))).toEqual([
      { rule: 'V3', subject: 'output', detail: 'a close was committed 1 ms before its deadline' },
    ]);
    expect(violationsOf(report([], 0))).toEqual([]);
  });
});

describe('a trial', () => {
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

  test('[V12] is invalid where a fault did not happen, or nothing was there to go wrong', () => {
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
