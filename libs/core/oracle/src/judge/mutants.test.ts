import { describe, expect, test } from '@jest/globals';
import { type Asked, type Mutant, MUTANTS } from './mutants.fixture.ts';
import { historyOf, INPUT, record, type RecordedPartition, RULES } from './recorded-history.fixture.ts';
import type { VerificationReport } from './report.ts';
import { verifyHistories } from './verification.ts';

const SEEDS = [1, 2, 5];

async function judge(
  partition: RecordedPartition,
  { rules, truth, ...asked }: Asked = {},
): Promise<VerificationReport> {
  return verifyHistories([{ ...historyOf(partition), truth }], {
    rules: { ...RULES, ...rules },
    inputTopic: INPUT,
    ...asked,
  });
}

/** The rules that see the mutant in the history of `seed`. */
async function rulesThatSee(mutant: Mutant, recorded: RecordedPartition): Promise<string[]> {
  const changed = structuredClone(recorded);
  const asked = mutant.apply(changed);
  const { violations } = await judge(changed, asked);
  return violations.map(({ rule }) => rule);
}

describe('mutants: each of them makes a correct history wrong in one place', () => {
  test('[V1][V2][V3][V4][V5][V6][V7][V8][V11][V12] every one is caught by its rule, in every history', async () => {
    const missed: string[] = [];
    for (const seed of SEEDS) {
      const [recorded] = await record({ seed, storm: seed !== 1 });
      const right = await judge(recorded!);
      expect(right.violations).toEqual([]);
      for (const mutant of MUTANTS)
        if (!(await rulesThatSee(mutant, recorded!)).includes(mutant.rule))
          missed.push(`seed ${seed}: ${mutant.rule} ${mutant.what}: ${(await rulesThatSee(mutant, recorded!)).join()}`);
    }
    const all = MUTANTS.length * SEEDS.length;
    console.log(`caught ${all - missed.length} of ${all} mutants of the checker`);
    expect(missed).toEqual([]);
  });
});
