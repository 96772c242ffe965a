import { describe, expect, test } from '@jest/globals';
import { KIND_NAMES, type Random } from '@flatline/base';
import { KIND_LABS } from '@flatline/lab-kinds';
import {
  type Asked,
  type HistoryAct,
  type HistoryMutant,
  type HistorySubject,
  isPage,
  operationsOf,
  type RecordedPartition,
  sessions,
} from '@flatline/lab-kinds/histories';
import { type VerificationReport, verifyHistories } from '@flatline/oracle';
import { ANY_KIND, mutantsOf } from './mutants/index.fixture.ts';
import { historyOf, INPUT, record } from './recorded-history.fixture.ts';

const SEEDS = [1, 3, 9];

async function judge(
  subject: HistorySubject,
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
async function rulesThatSee(
  mutant: HistoryMutant,
  subject: HistorySubject,
  recorded: RecordedPartition,
): Promise<string[]> {
  const changed = structuredClone(recorded);
  const asked = mutant.apply(changed);
  const { violations } = await judge(subject, changed, asked);
  return violations.map(({ rule }) => rule);
}

describe('mutants: each of them makes a correct history wrong in one place', () => {
  test.each(KIND_NAMES)(
    '[V1][V2][V3][V4][V5][V6][V7][V8][V11][V12][K8] of kind %s: every one is caught by its rule, in every history',
    async (kind) => {
      const missed: string[] = [];
      const { subjects, hasPages } = KIND_LABS[kind].histories;
      const { subject } = subjects[0];
      const mutants = mutantsOf(kind);
      for (const seed of SEEDS) {
        const [recorded] = await record({ seed, storm: seed !== 1, subject });
        const right = await judge(subject, recorded!);
        expect(right.violations).toEqual([]);
        expect(operationsOf(recorded!.changelog.records).some(isPage)).toBe(hasPages);
        missed.push(...(await missedOf(mutants, subject, recorded!)).map((what) => `seed ${seed}: ${what}`));
      }
      const all = mutants.length * SEEDS.length;
      console.log(`${kind}: caught ${all - missed.length} of ${all} mutants of the checker`);
      expect(missed).toEqual([]);
    },
  );
});

/** Heartbeats and ends, of which a session keeps nothing in pages: stands for a kind without any. */
function bareSessions(): HistorySubject {
  const plain = sessions();
  const act = (_key: string, random: Random): HistoryAct => ({ value: random.chance(0.2) ? null : '' });
  return { ...plain, producers: { act } };
}

test('mutants of any kind presume no pages: each is caught in histories without any', async () => {
  const subject = bareSessions();
  for (const seed of SEEDS) {
    const [recorded] = await record({ seed, storm: seed !== 1, subject });
    expect(operationsOf(recorded!.changelog.records).some(isPage)).toBe(false);
    expect(await missedOf(ANY_KIND, subject, recorded!)).toEqual([]);
  }
});

async function missedOf(
  mutants: readonly HistoryMutant[],
  subject: HistorySubject,
  recorded: RecordedPartition,
): Promise<string[]> {
  const missed: string[] = [];
  for (const mutant of mutants) {
    const found = await caught(mutant, subject, recorded);
    if (!found.includes(mutant.rule)) missed.push(`${mutant.rule} ${mutant.what}: ${found.join()}`);
  }
  return missed;
}

/** A mutant that finds nothing to change counts as missed, too. */
async function caught(
  mutant: HistoryMutant,
  subject: HistorySubject,
  recorded: RecordedPartition,
): Promise<readonly string[]> {
  try {
    return await rulesThatSee(mutant, subject, recorded);
  } catch (error) {
    return [`failed: ${String(error)}`];
  }
}
