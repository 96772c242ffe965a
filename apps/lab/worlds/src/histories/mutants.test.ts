import { describe, expect, test } from '@jest/globals';
import { type RulesByKind, type VerificationReport, verifyHistories } from '@flatline/oracle';
import { MUTANTS } from './mutants/index.fixture.ts';
import type { Asked, Mutant } from './mutants/mutant.fixture.ts';
import { historyOf, INPUT, record, type RecordedPartition } from './recorded-history.fixture.ts';
import { SUBJECTS } from './subjects/index.fixture.ts';
import type { Subject } from './subjects/subject.fixture.ts';

const SEEDS = [1, 3, 9];

async function judge(
  subject: Subject,
  partition: RecordedPartition,
  { rules, truth, ...asked }: Asked = {},
): Promise<VerificationReport> {
  return verifyHistories([{ ...historyOf(partition), truth }], {
    rules: { ...subject.rules, ...rules },
    inputTopic: INPUT,
    ...asked,
  });
}

/** The rules that see the mutant in a recorded history. */
async function rulesThatSee(mutant: Mutant, subject: Subject, recorded: RecordedPartition): Promise<string[]> {
  const changed = structuredClone(recorded);
  const asked = mutant.apply(changed);
  const { violations } = await judge(subject, changed, asked);
  return violations.map(({ rule }) => rule);
}

describe('mutants: each of them makes a correct history wrong in one place', () => {
  test.each(Object.keys(MUTANTS) as (keyof RulesByKind)[])(
    '[V1][V2][V3][V4][V5][V6][V7][V8][V11][V12][K8] of kind %s: every one is caught by its rule, in every history',
    async (kind) => {
      const missed: string[] = [];
      const { subject } = SUBJECTS[kind][0]!;
      for (const seed of SEEDS) {
        const [recorded] = await record({ seed, storm: seed !== 1, subject });
        const right = await judge(subject, recorded!);
        expect(right.violations).toEqual([]);
        for (const mutant of MUTANTS[kind]) {
          const found = await caught(mutant, subject, recorded!);
          if (!found.includes(mutant.rule)) missed.push(`seed ${seed}: ${mutant.rule} ${mutant.what}: ${found.join()}`);
        }
      }
      const all = MUTANTS[kind].length * SEEDS.length;
      console.log(`${kind}: caught ${all - missed.length} of ${all} mutants of the checker`);
      expect(missed).toEqual([]);
    },
  );
});

/** One that finds nothing to change is missed, too. */
async function caught(mutant: Mutant, subject: Subject, recorded: RecordedPartition): Promise<readonly string[]> {
  try {
    return await rulesThatSee(mutant, subject, recorded);
  } catch (error) {
    return [`failed: ${String(error)}`];
  }
}
