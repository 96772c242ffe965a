import { expect, test } from '@jest/globals';
import { Findings, UNDECIDED_KNOWN_MAX, UNDECIDED_SHOWN_MAX } from './report.ts';

test('[V2] what is undecided is counted once each, also what is not listed', () => {
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

test('VR1 beyond what is told apart everything counts', () => {
  const findings = new Findings();
  for (let i = 0; i < UNDECIDED_KNOWN_MAX; i += 1) findings.undecided(`in-0: offset ${i}`);
  for (let i = 0; i < 3; i += 1) findings.undecided('in-1: the same');
  findings.undecided('in-0: offset 0');
  expect(findings.report().undecidedCount).toBe(UNDECIDED_KNOWN_MAX + 3);
});
