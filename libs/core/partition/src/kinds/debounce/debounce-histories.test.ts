// Debouncing on the engine at random, through crashes, against the second reading of the rules.
import { describe, expect, test } from '@jest/globals';
import { type Random, seededRandom } from '@flatline/base';
import type { DebounceRules } from '@flatline/kinds/debounce';
import {
  DebounceLog,
  type DebounceSettings,
  FLUSH,
  type Headers,
  joined,
  T,
  waits,
  waitsAtMost,
} from './debounce.fixture.ts';
import { timerFaults } from '../../entries/timer-inspection.ts';
import { text } from '../../task.fixture.ts';

const SEEDS = Number(process.env['SEEDS'] ?? 20);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);

function randomSettings(random: Random): DebounceSettings {
  const waitMs = 10 + random.below(1_000);
  return {
    groupMax: random.chance(0.5) ? 1 : 32,
    logAppendTime: random.chance(0.7),
    owedBytesMax: random.chance(0.5) ? 1e9 : 1,
    rules: {
      mode: (['trailing', 'window', 'leading'] as const)[random.below(3)]!,
      waitMs,
      maxWaitMs: random.chance(0.3) ? 0 : waitMs + 1 + random.below(3 * waitMs),
      maxItems: random.chance(0.6) ? 1_000_000 : 1 + random.below(10),
      maxBytes: random.chance(0.6) ? 1_000_000 : 1 + random.below(2_000),
      onOversize: random.chance(0.5) ? 'flush' : 'split',
      maxPartsBytes: random.chance(0.6) ? 1e8 : 500 + random.below(10_000),
      ...randomShape(random),
    },
  };
}

function randomShape(random: Random): Partial<DebounceRules> {
  if (random.chance(0.15)) return { reducer: 'custom', reduce: random.chance(0.5) ? joined : summed };
  return {
    reducer: random.chance(0.6) ? 'all' : (['first', 'last', 'count'] as const)[random.below(3)]!,
    dedupeBy: random.chance(0.5) ? undefined : random.chance(0.5) ? 'id' : '/id',
  };
}

/** Returns a result that depends on all parts of an item; throws at every seventh offset. */
const summed: DebounceRules['reduce'] = (before, { key, value, headers, offset, timestamp }) => {
  if (offset % 7 === 0) throw new Error('no');
  const { sum = 0 } = (before ?? {}) as { readonly sum?: number };
  return { sum: sum + value.length + headers.length + (timestamp % 10), of: text(key) };
};

function randomHeaders(random: Random): Headers {
  const alike = random.chance(0.5) ? {} : { id: random.chance(0.03) ? 'long'.repeat(80) : `${random.below(6)}` };
  if (random.chance(0.8)) return alike;
  return {
    ...alike,
    ...(random.chance(0.3) && FLUSH),
    ...(random.chance(0.4) && waits(random.chance(0.9) ? random.below(2_000) : 'long')),
    ...(random.chance(0.3) && waitsAtMost(1 + random.below(5_000))),
  };
}

/** Items, cancels and flushes of a few keys; commits, drains, restarts and crashes in between. */
function storm(log: DebounceLog, random: Random): void {
  let at = T;
  // Windows of long items are encoded by the cut, those of short ones when they fire.
  const usual = random.chance(0.5) ? 60 : 600;
  const pace = random.chance(0.5) ? 150 : 15;
  for (let i = 0; i < 250; i += 1) {
    at += random.chance(0.1) ? random.below(3_000) : random.below(pace);
    const key = random.chance(0.05) ? null : `key-${random.below(4)}`;
    const length = random.chance(0.1) ? random.below(1_200) : random.below(usual);
    const late = random.chance(0.3) ? random.below(3_000) : 0;
    const json = `{"id":${random.below(6)},"of":"${'-'.repeat(length)}"}`;
    const item = random.chance(0.5) ? json : `${i}`.padEnd(length, '-');
    const value = random.chance(0.06) && key !== null ? null : key === null ? '' : item;
    log.add(at - late, key, value, key === null ? {} : randomHeaders(random));
    if (random.chance(0.03)) log.crash(random.below(6), 1 + random.below(3_000));
    if (random.chance(0.2)) log.commit(random.chance(0.5), random.chance(0.5) ? Infinity : 1 + random.below(3_000));
    expect(timerFaults(log.task.timers()!)).toEqual([]);
    if (random.chance(0.08)) {
      log.commit(random.chance(0.5));
      log.restart();
    }
  }
  log.add(at + 100_000, null);
  log.commit();
}

describe('windows against the naive fold', () => {
  test.each(Array.from({ length: SEEDS }, (_, i) => FIRST_SEED + i))(
    '[B1][B2][B3][B4][C5][R1][V8] seed %i: each item once, in order, as the rules say, through crashes (rerun: SEED)',
    (seed) => {
      const random = seededRandom(seed);
      const settings = randomSettings(random);
      const log = new DebounceLog(settings);
      storm(log, random);
      const { all, refused, taken } = log.folded();
      expect(log.all()).toEqual(all);
      expect(log.refused.map(({ offset }) => offset)).toEqual(refused);
      const batches = Object.values(log.all()).flat();
      const given = batches.flatMap(({ items }) => items.map(({ offset }) => offset));
      expect(new Set(given).size).toBe(given.length);
      const windows = batches.filter(({ last }) => last);
      expect(windows.reduce((sum, { count }) => sum + count, 0)).toBe(taken.length);
      if (settings.rules?.reducer !== 'all') return;
      const gone = windows.reduce(
        (sum, { reason, count, duplicates }) => sum + (reason === 'CANCELLED' ? count : duplicates),
        0,
      );
      expect(given.length + gone).toBe(taken.length);
    },
  );
});
