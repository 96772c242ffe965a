// Sessions with reducers, by event time and not, against the second reading of the rules (S10).
import { describe, expect, test } from '@jest/globals';
import { type Random, seededRandom } from '@flatline/base';
import { type BuiltIns, builtInReducer, defineReducer, StateReducer } from '@flatline/kinds/reducing';
import { DisorderLog, type Summary } from './disorder.fixture.ts';

const T = 1_000_000;
const TIMEOUT = 100;
const SEED_COUNT = Number(process.env['SEEDS'] ?? 40);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.below(items.length)]!;
}

const NUMBERS = [0, -0, 1, 0.1, 0.2, -0.3, 1e16, -1e16, 2 ** 53 - 1, 1e-320, 5e-324, 1e290, -1e290, 1e300, 1e16 + 2];

function builtIn(random: Random): BuiltIns {
  const all: BuiltIns = {
    s: { sum: '/n' },
    m: { mean: '/deep/0/n' },
    lo: { min: '/n' },
    hi: { max: '/n' },
    f: { first: '/v' },
    l: { last: '/attributes/a' },
    d: { set: { field: '/v', max: 1 + random.below(4) } },
    w: { funnel: { field: '/page', steps: ['a', 'b', '__proto__', 'c'].slice(0, 1 + random.below(4)) } },
  };
  const names = Object.keys(all).filter(() => random.chance(0.7));
  return Object.fromEntries((names.length === 0 ? ['s'] : names).map((name) => [name, all[name]!]));
}

interface Tally {
  readonly by: Record<string, number>;
  readonly seen: readonly (number | null)[];
}

/** Misbehaves, as functions of an application may: throws, grows, and changes what it is given. */
const tally = defineReducer<Tally, { readonly types: number; readonly seen: readonly (number | null)[] }>({
  state: {
    type: 'record',
    name: 'Tally',
    fields: [
      { name: 'by', type: { type: 'map', values: 'long' } },
      { name: 'seen', type: { type: 'array', items: ['null', 'double'] } },
    ],
  },
  result: {
    type: 'record',
    name: 'Tallied',
    fields: [
      { name: 'types', type: 'int' },
      { name: 'seen', type: { type: 'array', items: ['null', 'double'] } },
    ],
  },
  maxStateBytes: 150,
  initial: () => ({ by: {}, seen: [] }),
  add(state, { type, fields, attributes, effectiveAt, occurredAt }) {
    if (fields['n'] === 1) throw new RangeError('not this one');
    const name = `${String(fields['page'])}/${type}/${attributes['a'] ?? ''}`;
    state.by[name] = (state.by[name] ?? 0) - (effectiveAt - occurredAt);
    delete (fields as Record<string, unknown>)['n'];
    return { by: state.by, seen: [...state.seen, typeof fields['v'] === 'number' ? fields['v'] : null] };
  },
  merge(a, b) {
    if (a.seen.length + b.seen.length > 12) throw new Error('too many');
    for (const [name, count] of Object.entries(b.by)) a.by[name] = (a.by[name] ?? 0) + count;
    return { by: a.by, seen: [...a.seen, ...b.seen] };
  },
  finish: ({ by, seen }) => ({ types: Object.keys(by).length, seen }),
});

function storm(log: DisorderLog, random: Random): void {
  let now = T;
  for (let i = 0; i < 120; i += 1) {
    now += random.chance(0.2) ? random.below(250) : random.below(60);
    const at = now - (random.chance(0.5) ? random.below(pick(random, [60, 200, 700])) : 0);
    const n = pick<unknown>(random, [...NUMBERS, 'x', null, [], {}, true]);
    const event = {
      type: pick(random, ['HEARTBEAT', 'VIEW', 'STARTED']),
      n,
      ...(random.chance(0.5) && { v: pick<unknown>(random, [1, '1', '', 'é', false, null, 7.5, {}]) }),
      ...(random.chance(0.5) && { page: pick(random, ['a', 'b', 'c', '__proto__', 'other']) }),
      ...(random.chance(0.3) && { deep: [{ n: random.below(9) / 10 }] }),
      ...(random.chance(0.3) && { occurredAt: at + random.below(200) - 100 }),
      ...(random.chance(0.3) && { eventId: `e${random.below(6)}` }),
      ...(random.chance(0.3) && { sequence: random.below(90) }),
      ...(random.chance(0.3) && { source: `s${random.below(4)}` }),
      ...(random.chance(0.2) && { timeoutMs: 1 + random.below(400) }),
      ...(random.chance(0.4) && { attributes: { a: 'x'.repeat(random.below(9)) } }),
    };
    // As text, since −0 is none in what stringify writes.
    const text = JSON.stringify(event).replace('"n":0,', Object.is(n, -0) ? '"n":-0,' : '"n":0,');
    const value = random.chance(0.2) ? '' : random.chance(0.1) ? pick(random, [null, '{"type":"ENDED","n":3}']) : text;
    log.add(at, `k${random.below(2)}`, value);
    if (random.chance(0.3)) log.commit();
    if (random.chance(0.06)) {
      log.commit();
      log.restart();
    }
  }
  log.add(now + 1_000_000, null);
  log.commit();
}

/** S9: most events that are late then revise what waits. */
function windowOf(random: Random): Partial<DisorderLog['rules']> {
  if (random.chance(0.3)) return {};
  return { late: 'revise', revisionWindowMs: pick(random, [1, 300, 2_000]) };
}

describe('[S10] sessions that are reduced, against the second reading of the rules', () => {
  test.each(Array.from({ length: SEED_COUNT }, (_, i) => FIRST_SEED + i))(
    '[C5][C7][I7][R1][S9] seed %i: each summary and each dead letter (rerun: SEED)',
    (seed) => {
      const random = seededRandom(seed);
      const parts = builtIn(random);
      const isOwn = random.chance(0.4);
      const named = isOwn ? { reducer: tally } : { reducer: builtInReducer(parts), builtIn: parts };
      const graceMs = pick(random, [0, 0, 80, 500, 2_000]);
      const rules = {
        timeoutMs: TIMEOUT,
        graceMs,
        reducer: new StateReducer(named),
        dedupeEventIds: 4,
        maxSources: 2,
        // Drawn from a source of its own: the other seeds are what they were.
        ...(graceMs > 0 && windowOf(seededRandom(11_000_000 + seed))),
        ...(graceMs > 0 && { maxEvents: pick(seededRandom(13_000_000 + seed), [undefined, undefined, 1, 4]) }),
        ...(graceMs === 0 && { sayOpened: random.chance(0.5), maxEvents: pick(random, [undefined, 4]) }),
      };
      const log = new DisorderLog({ rules, maxStateBytes: pick(random, [Infinity, Infinity, 1_200]) });
      storm(log, random);
      const { all, refused } = log.folded();
      const plain = ([key, summaries]: readonly [string, readonly Summary[]]): [string, unknown] => [
        key,
        summaries.map((summary) => ({ ...summary, emittedAt: undefined, key: undefined })),
      ];
      expect(Object.fromEntries(Object.entries(log.all()).map(plain))).toEqual(
        Object.fromEntries(Object.entries(all).map(plain)),
      );
      expect(log.refused.map(({ offset }) => offset)).toEqual(refused);
    },
  );
});
