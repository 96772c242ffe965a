import { describe, expect, test } from '@jest/globals';
import { historyOf, INPUT, record, RULES } from './recorded-history.fixture.ts';
import type { VerificationReport } from './report.ts';
import { verifyHistories } from './verification.ts';

const SEEDS = Number(process.env['SEEDS'] ?? 12);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);

async function judge(seed: number, storm: boolean): Promise<VerificationReport> {
  const recorded = await record({ seed, storm });
  return verifyHistories(recorded.map(historyOf), { rules: RULES, inputTopic: INPUT });
}

describe('histories of the runtime under faults (rerun: SEED=n SEEDS=1 npm test -- verification)', () => {
  test.each(Array.from({ length: SEEDS }, (_, i) => FIRST_SEED + i))(
    '[F21][S4][O1][C5][R1] seed %i: no violation, and everything decided',
    async (seed) => {
      const report = await judge(seed, seed % 3 > 0);
      expect(report.violations).toEqual([]);
      expect(report.undecided).toEqual([]);
      expect(report.closed).toBe(report.incarnations - report.open);
      expect(report.closed).toBeGreaterThan(50);
      expect(report.delaysMs.min).toBeGreaterThanOrEqual(0);
    },
  );
});
