// Sessions with a reducer (S10).
import { describe, expect, test } from '@jest/globals';
import {
  type BuiltIns,
  builtInReducer,
  defineReducer,
  leastStateBytes,
  type Reducer,
  StateReducer,
} from '@flatline/kinds/reducing';
import { sessionKind, type SessionWindow } from '@flatline/kinds/session';
import { options } from '../../task.fixture.ts';
import { DisorderLog } from './disorder.fixture.ts';

const T = 1_000_000;
type Row = readonly [after: number, value: string | null | Readonly<Record<string, unknown>>];

const built = (builtIn: BuiltIns): StateReducer => new StateReducer({ reducer: builtInReducer(builtIn), builtIn });
const own = (reducer: Reducer): StateReducer => new StateReducer({ reducer });

function logOf(reducer: StateReducer | undefined, rules: Partial<DisorderLog['rules']> = {}): DisorderLog {
  return new DisorderLog({ rules: { timeoutMs: 100, graceMs: 0, ...(reducer && { reducer }), ...rules } });
}

/** Adds records of the key k, at so many milliseconds after T. */
function add(log: DisorderLog, ...rows: readonly Row[]): DisorderLog {
  for (const [after, value] of rows) log.add(T + after, 'k', value);
  return log;
}

/** Returns the results of the sessions of k, once all have closed. */
function reduced(log: DisorderLog): readonly unknown[] {
  log.add(T + 1e6, null);
  log.commit();
  const { all, refused } = log.folded();
  expect(log.all()).toMatchObject(all);
  expect(log.refused.map(({ offset }) => offset)).toEqual(refused);
  return log.said().map((summary) => summary['reduced']);
}

describe('[S10] built-in reducers', () => {
  test('sum, mean, min and max of numbers: what is none is passed over, and sums are exact', () => {
    const log = logOf(built({ s: { sum: '/n' }, m: { mean: '/n' }, lo: { min: '/n' }, hi: { max: '/n' } }));
    const rows = [0.1, 0.2, 'x', null, 1e100, -1e100, true, [1]].map((n, i): Row => [i, { n }]);
    expect(reduced(add(log, ...rows))).toEqual([
      { s: 0.30000000000000004, m: 0.07500000000000001, lo: -1e100, hi: 1e100 },
    ]);
  });

  test('of nothing, a sum is 0, and all else null or empty', () => {
    const steps = { field: '/p', steps: ['a'] };
    const parts: BuiltIns = {
      s: { sum: '/n' },
      m: { mean: '/n' },
      lo: { min: '/n' },
      f: { first: '/n' },
      v: { set: { field: '/n', max: 2 } },
      w: { funnel: steps },
    };
    const nothing = { s: 0, m: null, lo: null, f: null, v: { values: [], more: false }, w: { reached: 0, steps: [] } };
    expect(reduced(add(logOf(built(parts)), [0, '']))).toEqual([nothing]);
    expect(reduced(add(logOf(built(parts)), [0, { type: 'VIEW' }]))).toEqual([nothing]);
  });

  test('first and last go by event time, and of one instant by the log', () => {
    const log = logOf(built({ f: { first: '/v' }, l: { last: '/v' } }));
    add(
      log,
      [0, { v: 'a', occurredAt: T + 50 }],
      [1, { v: 'b', occurredAt: T + 10 }],
      [2, { v: 3, occurredAt: T + 10 }],
    );
    add(
      log,
      [3, { v: false, occurredAt: T + 90 }],
      [4, { v: 'z', occurredAt: T + 90 }],
      [5, { w: 1, occurredAt: T + 99 }],
    );
    expect(reduced(log)).toEqual([{ f: 'b', l: 'z' }]);
  });

  test('a set keeps what came first, says that there was more, and tells 1 from "1"', () => {
    const log = logOf(built({ v: { set: { field: '/v', max: 3 } } }));
    add(log, ...[1, '1', 1, true, 'late', '1'].map((v, i): Row => [i, { v }]));
    expect(reduced(log)).toEqual([{ v: { values: [1, '1', true], more: true } }]);
  });

  test('a funnel: steps in order, each with its time; what comes before the step before it does not count', () => {
    const log = logOf(built({ way: { funnel: { field: '/page', steps: ['/', '/cart', '/pay'] } } }));
    const pages = ['/cart', '/', '/', '/pay', '/cart', '/help', '/cart'];
    expect(reduced(add(log, ...pages.map((page, i): Row => [i, { page }])))).toEqual([
      {
        way: {
          reached: 2,
          steps: [
            { step: '/', at: T + 1 },
            { step: '/cart', at: T + 4 },
          ],
        },
      },
    ]);
  });

  test('pointers look at own members alone, into lists, and behind escapes', () => {
    const log = logOf(
      built({ a: { last: '/a~1b/1/c~0d' }, p: { last: '/__proto__/x' }, c: { last: '/constructor/name' } }),
    );
    add(log, [0, '{"a/b":[0,{"c~d":"found"}],"__proto__":{"x":"mine"}}']);
    expect(reduced(log)).toEqual([{ a: 'found', p: 'mine', c: null }]);
  });

  test('[S5][S13] a duplicate changes nothing; neither does what comes beyond maxEvents, nor a bare heartbeat', () => {
    const log = logOf(built({ s: { sum: '/n' } }), { maxEvents: 4 });
    add(log, [0, { n: 1, eventId: 'e' }], [1, { n: 1, eventId: 'e' }], [2, { n: 2, sequence: 5 }]);
    add(log, [3, { n: 4, sequence: 5 }], [4, ''], [5, { n: 8, sequence: 6 }], [6, { n: 16 }]);
    expect(reduced(log)).toEqual([{ s: 11 }]);
  });

  test('[S11] what is told of a live session has it, too, and an end with a value counts', () => {
    const log = logOf(built({ s: { sum: '/n' } }), { sayOpened: true, updateIntervalMs: 10 });
    add(log, [0, { n: 1 }], [20, { n: 2 }], [30, { type: 'ENDED', n: 4 }]);
    expect(reduced(log)).toEqual([{ s: 1 }, { s: 3 }, { s: 7 }]);
  });

  test('[C7] two sessions that are one come to what all their events make, whatever the order', () => {
    const parts: BuiltIns = {
      s: { sum: '/n' },
      f: { first: '/n' },
      l: { last: '/n' },
      v: { set: { field: '/n', max: 2 } },
      w: { funnel: { field: '/p', steps: ['a', 'b', 'c'] } },
    };
    const at = (after: number, n: number, p: string): Row => [after, { n, p }];
    const rows = [at(0, 0.1, 'a'), at(90, 0.2, 'b'), at(180, 0.3, 'c'), at(200, 0.4, 'a')];
    const results = [rows, [...rows].reverse(), [rows[2]!, rows[0]!, rows[3]!, rows[1]!]].map((each) =>
      reduced(add(logOf(built(parts), { graceMs: 1_000 }), ...each)),
    );
    expect(results[0]).toMatchObject([
      { s: 1, f: 0.1, l: 0.4, v: { values: [0.1, 0.2], more: true }, w: { reached: 3 } },
    ]);
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
  });
});

describe('[S10] built-in parts that are full', () => {
  const long = (i: number): string => `/${String(i).padStart(4, '0')}${'ü'.repeat(400)}`;
  const asCut = /^\/\d{4}ü*….{8}$/u;

  test('a set of many long texts, and texts of any length, cost no event, and say that they were cut', () => {
    const parts: BuiltIns = {
      all: { set: { field: '/v', max: 64 } },
      f: { first: '/v' },
      l: { last: '/v' },
      n: { sum: '/n' },
    };
    const log = logOf(built(parts));
    const rows = Array.from({ length: 70 }, (_, i): Row => [i, { v: i === 69 ? 'x'.repeat(1e6) : long(i), n: 1 }]);
    const [found] = reduced(add(log, ...rows)) as [Record<string, never>];
    const { all, f, l, n } = found as unknown as {
      all: { values: readonly string[]; more: boolean };
      f: string;
      l: string;
      n: number;
    };
    expect(log.refused).toEqual([]);
    expect(log.said()).toMatchObject([{ eventCount: 70 }]);
    expect([all.values.length, new Set(all.values).size, all.more, n]).toEqual([64, 64, true, 70]);
    for (const value of all.values) expect(value).toMatch(asCut);
    expect(f).toBe(long(0));
    expect([Buffer.byteLength(l), l.slice(0, 3), l.at(-9)]).toEqual([1_024, 'xxx', '…']);
  });

  test('[C7] they come to the same in whatever order events come', () => {
    const parts: BuiltIns = { all: { set: { field: '/v', max: 24 } }, l: { last: '/v' } };
    const rows = Array.from({ length: 41 }, (_, i): Row => [i * 50, { v: long(i % 30) }]);
    const shuffled = rows.map((_, i) => rows[(i * 17) % rows.length]!);
    const results = [rows, [...rows].reverse(), shuffled].map((each) =>
      reduced(add(logOf(built(parts), { graceMs: 100_000 }), ...each)),
    );
    expect(results[0]).toHaveLength(1);
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
  });

  test('with a bound of their own they keep as much as that holds; what they may take is known before', () => {
    const parts: BuiltIns = { all: { set: { field: '/v', max: 256 } } };
    const of = (maxStateBytes: number): StateReducer =>
      new StateReducer({ reducer: builtInReducer(parts, maxStateBytes), builtIn: parts });
    const rows = Array.from({ length: 30 }, (_, i): Row => [i, { v: long(i) }]);
    const lengths = [13_317, 65_536].map((bytes) => {
      const log = add(logOf(of(bytes)), ...rows);
      const [{ all }] = reduced(log) as [{ all: { values: readonly string[] } }];
      return Math.max(...all.values.map((value) => Buffer.byteLength(value)));
    });
    expect(lengths).toEqual([32, 234]);
    expect(leastStateBytes(parts)).toBe(13_317);
  });

  test('one that other settings left larger than it may be now is cut when its next event comes', () => {
    const parts: BuiltIns = { all: { set: { field: '/v', max: 256 } } };
    const of = (maxStateBytes: number): StateReducer =>
      new StateReducer({ reducer: builtInReducer(parts, maxStateBytes), builtIn: parts });
    const [large, small] = [of(65_536), of(13_317)];
    const seen = (fields: object) => () => ({
      type: 'A',
      attributes: {},
      fields,
      occurredAt: 1,
      effectiveAt: 1,
      offset: 1,
    });
    const caller = { partition: 0, offset: 1 };
    const whole = (bytes: Uint8Array) => ({ bytes, start: 0, length: bytes.length });
    let state: Uint8Array | undefined;
    for (let i = 0; i < 256; i += 1)
      state = large.add(state && whole(state), seen({ v: long(i) }) as never, caller) as Uint8Array;
    expect(state!.length).toBeGreaterThan(60_000);
    const after = small.add(whole(state!), seen({}) as never, caller) as Uint8Array;
    expect(after.length).toBeLessThan(13_322);
    expect(JSON.parse(small.finish(whole(after), caller)!.json)).toMatchObject({ all: { more: false } });
  });
});

test('[S10] a funnel of other steps refuses no event of a session that lives', () => {
  const tight = (builtIn: BuiltIns): StateReducer =>
    new StateReducer({ reducer: builtInReducer(builtIn, leastStateBytes(builtIn)), builtIn });
  const [a, b] = ['a'.repeat(100), 'b'.repeat(100)];
  const log = logOf(tight({ way: { funnel: { field: '/p', steps: [a, b] } } }));
  for (let i = 0; i < 20; i += 1) log.add(T + i, 'k', { p: i % 2 === 0 ? a : b });
  log.commit();
  log.rules = { ...log.rules, reducer: tight({ way: { funnel: { field: '/p', steps: ['c', 'd'] } } }) };
  log.restart();
  log.add(T + 50, 'k', { p: 'c' });
  log.add(T + 120, 'k', { type: 'VIEW' });
  log.commit();
  expect(log.refused).toEqual([]);
  expect(log.said('k')).toEqual([]);
});

const COUNTS = {
  state: { type: 'record', name: 'Counts', fields: [{ name: 'by', type: { type: 'map', values: 'int' } }] },
  initial: (): Counts => ({ by: {} }),
  merge: (a: Counts, b: Counts): Counts => ({ by: { ...a.by, ...b.by } }),
};
interface Counts {
  readonly by: Record<string, number>;
}

describe('[S10] reducers of an application', () => {
  test('functions that change what they are given change nothing else', () => {
    const counts = own(
      defineReducer<Counts>({
        ...COUNTS,
        add(state, event) {
          const name = String(event.fields['name']);
          state.by[name] = (state.by[name] ?? 0) + 1;
          (event.fields as Record<string, unknown>)['name'] = 'changed';
          return state;
        },
      }),
    );
    const log = add(
      logOf(counts),
      ...['b', '__proto__', 'a', '__proto__', 'constructor'].map((name, i): Row => [i, { name }]),
    );
    const [result] = reduced(log) as [Counts];
    expect(JSON.stringify(result)).toBe('{"by":{"__proto__":2,"a":1,"b":1,"constructor":1}}');
    expect(({} as Record<string, unknown>)['name']).toBeUndefined();
  });

  test.each<[string, (fields: unknown) => unknown]>([
    ['an object of the event, which has no prototype', (fields) => fields],
    ['nothing', () => undefined],
    ['a symbol', () => Symbol('none')],
    [
      'what throws when it is asked for its message',
      () => ({
        get message(): string {
          throw new Error('none');
        },
      }),
    ],
  ])('[I1] whatever a function throws costs its event and no more: %s', (_what, thrown) => {
    const throwing = own(
      defineReducer<Counts>({
        ...COUNTS,
        add(state, { type, fields }) {
          if (type === 'BAD') throw thrown(fields);
          return { by: { ...state.by, [type]: 1 } };
        },
      }),
    );
    const log = add(logOf(throwing), [0, { type: 'A' }], [1, { type: 'BAD' }], [2, { type: 'B' }]);
    expect(reduced(log)).toEqual([{ by: { A: 1, B: 1 } }]);
    expect(log.refused).toEqual([{ offset: 1, reason: 'reducer-failed' }]);
  });

  test('[I1] a throw, a promise, what is no state, and one beyond its bound refuse the event, and never the session', () => {
    const picky = own(
      defineReducer<{ readonly text: string }, { readonly length: number }>({
        state: { type: 'record', name: 'Text', fields: [{ name: 'text', type: 'string' }] },
        result: { type: 'record', name: 'Length', fields: [{ name: 'length', type: 'double' }] },
        maxStateBytes: 20,
        initial: () => ({ text: '' }),
        add({ text }, { fields: { say } }) {
          if (say === 'throw') throw new Error('no');
          if (say === 'promise') return Promise.reject(new Error('later')) as never;
          if (say === 'nothing') return undefined as never;
          if (say === 'more') return { text, more: 1 } as never;
          if (say === 'half') return { text: '\ud800' };
          return { text: `${text}${String(say)}` };
        },
        merge: (a, b) => ({ text: `${a.text}${b.text}` }),
        // A number that no double of JSON is.
        finish: ({ text }) =>
          text.includes('?')
            ? (Promise.reject(new Error('later')) as never)
            : { length: text.includes('!') ? Infinity : text.length },
      }),
    );
    const said = ['ok', 'throw', 'promise', 'nothing', 'more', 'half', '!', '?', 'x'.repeat(30), 'ok'];
    const log = add(logOf(picky), ...said.map((say, i): Row => [i, { say, type: say.slice(0, 9) }]));
    expect(reduced(log)).toEqual([{ length: 4 }]);
    expect(log.refused).toEqual([
      ...[1, 2, 3, 4, 5, 6, 7].map((offset) => ({ offset, reason: 'reducer-failed' })),
      { offset: 8, reason: 'reduced-too-large' },
    ]);
    // A dead letter is no activity, and counts nowhere.
    expect(log.said()).toMatchObject([{ eventCount: 2, lastSeenAt: T + 9, countsByType: { ok: 2 } }]);
  });

  test('[I4] a state that is its own result is bounded as one: JSON names each field of each item', () => {
    const item = {
      type: 'record',
      name: 'Line',
      fields: [{ name: 'aNameOfSomeLength'.repeat(8), type: 'boolean' }],
    } as const;
    interface Lines {
      readonly lines: readonly Readonly<Record<string, boolean>>[];
    }
    const lines = own(
      defineReducer<Lines>({
        state: { type: 'record', name: 'Lines', fields: [{ name: 'lines', type: { type: 'array', items: item } }] },
        maxStateBytes: 4_000,
        initial: () => ({ lines: [] }),
        add: ({ lines }, { fields: { n } }) => ({
          lines: [...lines, ...Array.from({ length: Number(n) }, () => ({ [item.fields[0].name]: true }))],
        }),
        merge: (a, b) => ({ lines: [...a.lines, ...b.lines] }),
      }),
    );
    const log = add(logOf(lines), [0, { n: 100 }], [1, { n: 1_000 }]);
    expect(reduced(log)).toMatchObject([{ lines: { length: 100 } }]);
    expect(log.refused).toEqual([{ offset: 1, reason: 'reduced-too-large' }]);
  });

  test('[C7] a merge that fails refuses the event that would join', () => {
    const log = logOf(own(defineReducer<Counts>({ ...COUNTS, add: (state) => state, merge: fail })), {
      graceMs: 1_000,
    });
    add(log, [0, { n: 1 }], [150, { n: 1 }], [75, { n: 1 }]);
    expect(reduced(log)).toHaveLength(2);
    expect(log.refused).toEqual([{ offset: 2, reason: 'reducer-failed' }]);
  });
});

function fail(): never {
  throw new Error('no merge');
}

describe('[S10] a state that evolves', () => {
  const start = (builtIn: BuiltIns): DisorderLog => {
    const log = add(logOf(built(builtIn)), [0, { n: 1, m: 5 }]);
    log.commit();
    return log;
  };
  const go = (log: DisorderLog, reducer: StateReducer | undefined): DisorderLog => {
    log.rules = { ...log.rules, reducer };
    log.restart();
    return log;
  };
  const results = (log: DisorderLog): readonly unknown[] => {
    log.add(T + 1e6, null);
    log.commit();
    return log.said().map((summary) => summary['reduced']);
  };

  test('a part more begins with nothing, a part less is let go, and what stays goes on', () => {
    const log = start({ s: { sum: '/n' }, gone: { last: '/n' } });
    go(log, built({ s: { sum: '/n' }, hi: { max: '/m' } }));
    log.commit();
    expect(results(add(log, [10, { n: 2, m: 3 }]))).toEqual([{ s: 3, hi: 3 }]);
  });

  test('a session that nothing touches since closes by the new one, after several, too', () => {
    const log = start({ s: { sum: '/n' } });
    go(log, built({ s: { sum: '/n' }, hi: { max: '/m' } }));
    log.commit();
    go(log, built({ hi: { max: '/m' }, s: { sum: '/n' } }));
    log.commit();
    expect(results(log)).toEqual([{ hi: null, s: 1 }]);
  });

  test('another operation is refused before any record, and the field is named', () => {
    const log = start({ s: { sum: '/n' } });
    expect(() => go(log, built({ s: { max: '/n' } }))).toThrow('reducer: s: it was a sum_s and is now a max_s');
    expect(() => go(log, built({ s: { mean: '/n' } }))).toThrow('reducer: s: it was a sum_s and is now a mean_s');
  });

  test('a field without a default, a type that is narrower and a symbol that is gone are refused, each by its place', () => {
    const record = (...fields: readonly object[]): object => ({ type: 'record', name: 'R', fields });
    const of = (schema: object, initial: unknown): StateReducer =>
      own(
        defineReducer<unknown>({
          state: schema as never,
          initial: () => initial,
          add: (state) => state,
          merge: (a) => a,
        }),
      );
    const old = of(
      record({ name: 'n', type: 'long' }, { name: 'e', type: { type: 'enum', name: 'E', symbols: ['A', 'B'] } }),
      {
        n: 1,
        e: 'A',
      },
    );
    const symbols = { type: 'enum', name: 'E', symbols: ['A', 'B'] };
    const log = add(logOf(old), [0, { n: 1 }]);
    log.commit();
    const now = (...fields: readonly object[]) => of(record(...fields), { n: 1, e: 'A', x: 1 });
    const withX = now({ name: 'n', type: 'long' }, { name: 'e', type: symbols }, { name: 'x', type: 'int' });
    expect(() => go(log, withX)).toThrow('reducer: x: it is new and has no default');
    const narrow = of(record({ name: 'n', type: 'int' }, { name: 'e', type: symbols }), { n: 1, e: 'A' });
    expect(() => go(log, narrow)).toThrow('reducer: n: it was long and is now int');
    const fewer = of(record({ name: 'n', type: 'long' }, { name: 'e', type: { ...symbols, symbols: ['A'] } }), {
      n: 1,
      e: 'A',
    });
    expect(() => go(log, fewer)).toThrow('reducer: e: B is none of its symbols now');
    const wide = of(record({ name: 'n', type: 'double' }, { name: 'e', type: symbols }), { n: 1, e: 'A' });
    expect(results(go(log, wide))).toEqual([{ n: 1, e: 'A' }]);
  });

  test('without a reducer what there is is kept, and is there again', () => {
    const log = start({ s: { sum: '/n' } });
    go(log, undefined);
    add(log, [10, { n: 2, type: 'VIEW' }]).commit();
    go(log, built({ s: { sum: '/n' } }));
    expect(results(add(log, [20, { n: 4 }]))).toEqual([{ s: 5 }]);
  });

  test('what of which no schema is known any more is refused', () => {
    const { table } = start({ s: { sum: '/n' } }).task;
    const rules = { ...options().rules, reducer: built({ s: { sum: '/n' }, more: { min: '/n' } }) };
    const decoder = { ...options().decoder, fields: () => ({}) };
    const kind = sessionKind({ ...options(), rules, decoder, encoder: { encode: () => new Uint8Array(0) } });
    const forEach = (look: (entry: SessionWindow) => void): void => {
      const window: unknown = table.view().at(0);
      look(window as SessionWindow);
    };
    expect(kind.whyUnreadable!({ settings: [{ sequence: 7, text: '{}' }], forEach })).toMatch(
      /^reducer: some states are of a schema that the changelog no longer has/,
    );
  });
});

describe('[S10] what other settings have left', () => {
  const T1 = T + 1;

  test('a result that is too long by another finish is null, and costs neither session nor summary', () => {
    const saying = (text: string): StateReducer =>
      own(
        defineReducer<{ readonly n: number }, { readonly text: string }>({
          state: { type: 'record', name: 'Count', fields: [{ name: 'n', type: 'int' }] },
          result: { type: 'record', name: 'Said', fields: [{ name: 'text', type: 'string' }] },
          maxStateBytes: 10,
          initial: () => ({ n: 0 }),
          add: ({ n }) => ({ n: n + 1 }),
          merge: (a, b) => ({ n: a.n + b.n }),
          finish: ({ n }) => ({ text: n === 0 ? '' : text }),
        }),
      );
    const log = add(logOf(saying('short')), [0, { n: 1 }]);
    log.commit();
    log.rules = { ...log.rules, reducer: saying('x'.repeat(5_000)) };
    log.restart();
    log.add(T + 1e6, null);
    log.commit();
    expect(log.said()).toMatchObject([{ reason: 'TIMEOUT', eventCount: 1, reduced: null }]);
    expect(log.refused).toEqual([]);
  });

  test('[K1] states of the last three reducers are read, however long these are; of older ones the start says so', () => {
    const fields = Array.from({ length: 56 }, (_, i) => `f${String(i).padStart(2, '0')}${'x'.repeat(50)}`);
    const grown = (version: number): StateReducer =>
      own(
        defineReducer<Readonly<Record<string, number>>>({
          state: {
            type: 'record',
            name: 'Wide',
            fields: [...fields, ...Array.from({ length: version }, (_, i) => `more${i}`)].map((name) => ({
              name,
              type: 'long',
              default: 0,
            })),
          },
          initial: () =>
            Object.fromEntries(
              [...fields, ...Array.from({ length: version }, (_, i) => `more${i}`)].map((name) => [name, 0]),
            ),
          add: (state) => ({ ...state, [fields[0]!]: state[fields[0]!]! + 1 }),
          merge: (a) => a,
        }),
      );
    const text = JSON.stringify(grown(9));
    expect(text.length).toBeGreaterThan(10_000);
    expect(text.length).toBeLessThan(12_000);
    const log = add(logOf(grown(0), { timeoutMs: 1e9 }), [0, { n: 1 }]);
    log.commit();
    const change = (version: number): void => {
      log.rules = { ...log.rules, reducer: grown(version) };
      log.restart();
      log.add(T1 + version, 'other', '');
      log.commit();
    };
    for (let version = 1; version <= 3; version += 1) change(version);
    for (let version = 4; version <= 9; version += 1) {
      try {
        change(version);
      } catch (error) {
        expect((error as Error).message).toContain('of a schema that the changelog no longer has');
        return;
      }
    }
    throw new Error('states of reducers that the settings do not have any more were read');
  });
});
