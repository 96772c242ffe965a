import { expect, test } from '@jest/globals';
import { Findings, SHOWN_PER_RULE_MAX, UNDECIDED_KNOWN_MAX, UNDECIDED_SHOWN_MAX } from './report.ts';

test('[V2] undecided findings are counted once each, listed or not', () => {
  const findings = new Findings();
  for (let round = 0; round < 2; round += 1)
    for (let i = 0; i < UNDECIDED_SHOWN_MAX + 20; i += 1) findings.undecided(`in-0: offset ${i}`);
  const { undecided, undecidedCount } = findings.report();
  expect([undecided.length, undecided.at(-1), undecidedCount]).toEqual([
    UNDECIDED_SHOWN_MAX,
    `in-0: offset ${UNDECIDED_SHOWN_MAX - 1}`,
    UNDECIDED_SHOWN_MAX + 20,
  ]);
});

test('VR1 beyond the number that is told apart, every repetition counts', () => {
  const findings = new Findings();
  for (let i = 0; i < UNDECIDED_KNOWN_MAX; i += 1) findings.undecided(`in-0: offset ${i}`);
  for (let i = 0; i < 3; i += 1) findings.undecided('in-1: the same');
  findings.undecided('in-0: offset 0');
  expect(findings.report().undecidedCount).toBe(UNDECIDED_KNOWN_MAX + 3);
});

test('VR1 a rule that is broken again and again hides no other', () => {
  const findings = new Findings();
  const violation = { topic: 'changelog', partition: 0, offset: 7, key: undefined, what: 'has another digest' };
  for (let i = 0; i < 1_000; i += 1) findings.violation({ ...violation, rule: 'R1' });
  findings.violation({ ...violation, rule: 'V2' });
  const { violations, violationCount } = findings.report();
  expect(violations.map(({ rule }) => rule)).toEqual([...Array<string>(SHOWN_PER_RULE_MAX).fill('R1'), 'V2']);
  expect(violationCount).toBe(1_001);
});
