// Windows with a reducer that has a state (S10, B3), against the second reading of the rules.
import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { type BuiltIns, builtInReducer, defineReducer, StateReducer } from '@flatline/kinds/reducing';
import type { DebounceRules } from '@flatline/kinds/debounce';
import { text } from '../../task.fixture.ts';
import { DebounceLog, joined, T } from './debounce.fixture.ts';

const built = (builtIn: BuiltIns): StateReducer => new StateReducer({ reducer: builtInReducer(builtIn), builtIn });
const by = (reduced: StateReducer): Partial<DebounceRules> => ({ reducer: 'custom', reduced });
const SUM = built({ s: { sum: '/n' }, l: { last: '/v' } });
const n = (value: number, v?: string): string => JSON.stringify({ n: value, v });

/** Values of the batches of k, once all have fired, and as the oracle says. */
function shown(log: DebounceLog): readonly unknown[] {
  log.add(T + 1e6, null);
  log.commit();
  return log.said().map(({ items }) => items.map(({ value }) => JSON.parse(text(value)) as unknown));
}

describe('[S10][B3] windows that are reduced', () => {
  test('a batch has what its items came to, in one item; a value that is no object has no fields', () => {
    const log = new DebounceLog({ rules: by(SUM) });
    for (const [i, value] of [n(1, 'a'), 'no JSON', n(2), '[3]', n(4, 'b')].entries()) log.add(T + i, 'k', value);
    log.add(T + 5_000, 'k', n(8));
    expect(shown(log)).toEqual([[{ s: 7, l: 'b' }], [{ s: 8, l: null }]]);
    expect(log.said()[0]).toMatchObject({ count: 5, items: [{ offset: 4, timestamp: T + 4 }] });
  });

  test('in mode leading, with limits, across commits and restarts, and cancelled', () => {
    const log = new DebounceLog({ rules: { ...by(SUM), mode: 'leading', maxItems: 3 } });
    for (let i = 0; i < 7; i += 1) {
      log.add(T + i, 'k', n(i));
      log.commit();
      log.restart();
    }
    log.add(T + 10, 'k', n(1));
    log.add(T + 11, 'k', null);
    expect(shown(log)).toEqual([[{ s: 0, l: null }], [{ s: 6, l: null }], [{ s: 4, l: null }], [{ s: 12, l: null }]]);
  });

  test('[I1] a throw, and what is too large for a record, are dead letters', () => {
    const own = defineReducer<{ readonly all: string }>({
      state: { type: 'record', name: 'All', fields: [{ name: 'all', type: 'string' }] },
      initial: () => ({ all: '' }),
      add({ all }, { type, fields }) {
        if (fields['n'] === 0) throw new Error('none');
        return { all: `${all}${type}${'x'.repeat(Number(fields['n']))}` };
      },
      merge: (a) => a,
    });
    const log = new DebounceLog({ rules: by(new StateReducer({ reducer: own })) });
    for (const [i, value] of [n(1), n(0), n(2_000), n(2)].entries()) log.add(T + i, 'k', value);
    expect(shown(log)).toEqual([[{ all: 'ITEMxITEMxx' }]]);
    expect(log.refused).toEqual([
      { offset: 1, reason: 'reducer-failed' },
      { offset: 2, reason: 'reduced-too-large' },
    ]);
  });

  test('a state goes on by a reducer that reads it; a function in its place fires what is there, and so back', () => {
    const log = new DebounceLog({ rules: by(SUM) });
    log.add(T, 'k', n(1));
    log.commit();
    log.restart(by(built({ s: { sum: '/n' }, hi: { max: '/n' } })));
    log.add(T + 1, 'k', n(2));
    log.commit(false);
    log.restart({ reducer: 'custom', reduced: undefined, reduce: joined });
    log.add(T + 2, 'k', '3');
    log.commit(false);
    log.restart({ ...by(SUM), reduce: undefined });
    log.add(T + 3, 'k', n(4));
    expect(shown(log)).toEqual([[{ s: 3, hi: 2 }], ['3'], [{ s: 4, l: null }]]);
  });

  test.each(Array.from({ length: 20 }, (_, i) => Number(process.env['SEED'] ?? 1) + i))(
    '[C5][R1] seed %i: batches and dead letters are what the fold says (rerun: SEED)',
    (seed) => {
      const random = seededRandom(seed);
      const mode = (['trailing', 'window', 'leading'] as const)[random.below(3)]!;
      const log = new DebounceLog({ rules: { ...by(SUM), mode, maxItems: 2 + random.below(9) }, groupMax: 3 });
      for (let i = 0, at = T; i < 80; i += 1) {
        at += random.below(600);
        const value = random.chance(0.1) ? null : random.chance(0.1) ? 'text' : n(random.below(99) / 10, `v${i}`);
        log.add(at, `k${random.below(2)}`, value, random.chance(0.1) ? { 'flatline-command': 'FLUSH' } : {});
        if (random.chance(0.3)) log.commit();
        if (random.chance(0.1)) log.crash();
      }
      log.add(T + 1e6, null);
      log.commit();
      const { all, refused } = log.folded();
      expect(log.all()).toEqual(all);
      expect(log.refused.map(({ offset }) => offset)).toEqual(refused);
    },
  );
});
