import { describe, expect, test } from '@jest/globals';
import { CommitBudget } from './commit-budget.ts';

const options = { targetMs: 3_000, firstBytes: 4_000, leastBytes: 100, requestBytes: 1_000 };

function budgetOf(changes: Partial<ConstructorParameters<typeof CommitBudget>[0]> = {}): CommitBudget {
  return new CommitBudget({ ...options, share: () => 1e6, ...changes });
}

describe('how large a commit may be', () => {
  test('CB1: it doubles where commits that fill it are quick, up to what would fit', () => {
    const budget = budgetOf();
    budget.taken(4_000, 100);
    expect(budget.bytesMax).toBe(8_000);
    budget.taken(7_000, 2_000);
    expect(budget.bytesMax).toBe(10_500);
  });

  test('CB1: commits that do not fill it prove nothing about larger ones', () => {
    const budget = budgetOf();
    for (let i = 0; i < 10; i += 1) budget.taken(50, 5);
    expect(budget.bytesMax).toBe(4_000);
  });

  test('CB1: a slow one shrinks it at once; a small one counts as one request', () => {
    const budget = budgetOf();
    budget.taken(4_000, 6_000);
    expect(budget.bytesMax).toBe(2_000);
    budget.taken(10, 3_000);
    expect(budget.bytesMax).toBe(1_000);
  });

  test('CB3: the bound of a slow small one holds only until the next quick one', () => {
    const budget = budgetOf();
    budget.taken(20, 6_000);
    expect(budget.bytesMax).toBe(500);
    budget.taken(20, 60);
    expect(budget.bytesMax).toBe(4_000);
    // One that fills what it may hold does not make less of what was known before.
    budget.taken(20, 30_000);
    expect(budget.bytesMax).toBe(100);
    budget.taken(90, 60);
    expect(budget.bytesMax).toBe(4_000);
  });

  test('CB3: the bound of slow large ones holds until commits that fill it are quick', () => {
    const budget = budgetOf();
    budget.taken(4_000, 24_000);
    for (let i = 0; i < 10; i += 1) budget.taken(20, 5);
    expect(budget.bytesMax).toBe(500);
    budget.refused(400);
    for (let i = 0; i < 10; i += 1) budget.taken(20, 5);
    expect(budget.bytesMax).toBe(200);
    budget.taken(150, 5);
    expect(budget.bytesMax).toBe(400);
  });

  test.each([0, 0.3, 0.5, 0.7, 0.9, 0.98])(
    '[O6] CB4: commits settle within two thirds of the timeout where the process is late by %d of them',
    (ownShare) => {
      const budget = budgetOf();
      const timeoutMs = 3 * options.targetMs;
      let [tookMs, brokersMs] = [0, 0];
      for (let i = 0; i < 30; i += 1) {
        const bytes = budget.bytesMax;
        brokersMs = bytes / 10;
        tookMs = brokersMs / (1 - ownShare);
        budget.taken(bytes, tookMs, ownShare * tookMs);
      }
      expect(tookMs).toBeLessThanOrEqual((timeoutMs * 2) / 3 + 1);
      // And as large as both allow: a starved process does not take its brokers for slow.
      expect(Math.max(brokersMs / (timeoutMs / 3), tookMs / ((timeoutMs * 2) / 3))).toBeCloseTo(1);
    },
  );

  test('CB2: it stays within the share of memory there is, and above the least', () => {
    let share = 2_500;
    const budget = budgetOf({ share: () => share });
    expect(budget.bytesMax).toBe(2_500);
    share = 50;
    expect(budget.bytesMax).toBe(100);
    budget.taken(10, 1e9);
    expect(budget.bytesMax).toBe(100);
  });

  test('a commit refused in any time halves the bound, unless it is the least', () => {
    const budget = budgetOf();
    expect(budget.refused(3_000)).toBe(true);
    expect(budget.bytesMax).toBe(1_500);
    expect(budget.refused(100)).toBe(false);
    expect(budget.bytesMax).toBe(1_500);
  });

  test('[O6] a commit refused that was many times what stepping counted halves the bound all the same', () => {
    const budget = budgetOf();
    for (let i = 0; i < 3; i += 1) expect(budget.refused(budget.bytesMax * 17, budget.bytesMax)).toBe(true);
    expect(budget.bytesMax).toBe(500);
  });

  test('[O6] CB1: a slow one that was many times what stepping counted has as many times less be stepped', () => {
    const budget = budgetOf();
    budget.taken(64_000, 6_000, 0, 4_000);
    expect(budget.bytesMax).toBe(2_000);
    budget.taken(32_000, 3_000, 0, 2_000);
    expect(budget.bytesMax).toBe(2_000);
    // One of a position alone: nothing of it was counted.
    budget.taken(300, 60, 0, 0);
    expect(budget.bytesMax).toBe(2_000);
  });
});

test('[O6] a commit that was full with its sweep counted lets the next be larger, though it was a third of that when written', () => {
  const budget = new CommitBudget({
    targetMs: 20_000,
    firstBytes: 4_000_000,
    leastBytes: 64_000,
    requestBytes: 1_000_000,
    share: () => 32_000_000,
  });
  for (let commit = 0; commit < 8; commit += 1) budget.taken(budget.bytesMax / 3, 45, 0, budget.bytesMax);
  expect(budget.bytesMax).toBe(32_000_000);
});
