import { describe, expect, test } from '@jest/globals';
import { configurationJsonSchema, defineReducer, resolveConfiguration, rulesText } from './index.ts';
import { minimal, problems, resolve, visits } from './resolving.fixture.ts';

const PARTS = {
  total: { sum: '/amount' },
  plan: { last: '/attributes/plan' },
  pages: { set: { field: '/page', max: 20 } },
  way: { funnel: { field: '/page', steps: ['/', '/cart'] } },
};
const own = defineReducer<{ readonly count: number }>({
  state: { type: 'record', name: 'Count', fields: [{ name: 'count', type: 'long' }] },
  initial: () => ({ count: 0 }),
  add: ({ count }) => ({ count: count + 1 }),
  merge: (a, b) => ({ count: a.count + b.count }),
});
const windows = { name: 'visits', kind: 'debounce', waitMs: 1_000, input: { topic: 'i' }, output: { topic: 'o' } };
const config = (settings: object, of: object = visits): object => ({ ...minimal, pipelines: [{ ...of, ...settings }] });
const found = (settings: object, of?: object): string[] => problems(config(settings, of));

describe('[S10] reducers in a configuration', () => {
  test('built-in parts, in sessions and in windows: the settings of a commit say them, and their schemas', () => {
    for (const [of, name] of [
      [visits, 'reducer'],
      [windows, 'reduced'],
    ] as const) {
      const [pipeline] = resolve(config({ reducer: PARTS }, of)).pipelines;
      const said = (
        JSON.parse(rulesText(pipeline!)) as Record<string, { readonly builtIn: unknown; readonly state: object }>
      )[name];
      expect(said).toMatchObject({ builtIn: PARTS, maxStateBytes: 16_384, state: { type: 'record', name: 'Reduced' } });
    }
  });

  test('[I4] maxReducedBytes bounds built-in parts, is said in the settings of commits, and refused where it says nothing', () => {
    for (const [of, name] of [
      [visits, 'reducer'],
      [windows, 'reduced'],
    ] as const) {
      const given = config({ reducer: PARTS, maxReducedBytes: 3_000 }, of);
      const [pipeline] = resolve(given).pipelines;
      expect(JSON.parse(rulesText(pipeline!))).toMatchObject({ [name]: { builtIn: PARTS, maxStateBytes: 3_000 } });
      expect(found({ reducer: PARTS, maxReducedBytes: 2_000 }, of)).toEqual([
        expect.stringMatching(
          /reducer \[\(an object\)\] its parts may take 2\d{3} bytes of a state, and have 2000: set maxReducedBytes to/,
        ),
      ]);
      for (const none of [0, 65_537])
        expect(found({ reducer: PARTS, maxReducedBytes: none }, of)).toEqual([
          expect.stringContaining(`maxReducedBytes [${none}]`),
        ]);
      expect(found({ reducer: own, maxReducedBytes: 3_000 }, of)).toEqual([
        expect.stringContaining('maxReducedBytes [3000] is for the built-in parts of a reducer'),
      ]);
      expect(found({ maxReducedBytes: 3_000 }, of)).toEqual([
        expect.stringContaining('maxReducedBytes [3000] is for the built-in parts of a reducer'),
      ]);
    }
  });

  test('without one, the settings of a commit are those of before', () => {
    for (const each of [visits, windows]) {
      const text = rulesText(resolve(config({}, each)).pipelines[0]!);
      expect(text).not.toContain('"reduced"');
      expect(text.includes('"reducer"')).toBe(each === windows);
    }
  });

  test('a value of defineReducer passes through, whatever is copied on the way', () => {
    const [pipeline] = resolve(config({ reducer: own })).pipelines;
    expect(pipeline).toMatchObject({ rules: { reducer: { named: { reducer: own } } } });
    expect(JSON.parse(rulesText(pipeline!))).toMatchObject({ reducer: { version: 1, state: { name: 'Count' } } });
    expect(resolve(config({ reducer: own }, windows)).pipelines[0]).toMatchObject({ rules: { reducer: 'custom' } });
  });

  test('"custom": the application hands it over, and for a session not as a bare function', () => {
    const options = { source: 'test', folder: '/', environment: {} };
    const given = (reducers: object): unknown =>
      resolveConfiguration(config({ reducer: 'custom' }), { ...options, reducers: reducers as never }).pipelines[0]!
        .rules;
    expect(given({ visits: own })).toMatchObject({ reducer: { named: { reducer: own } } });
    expect(() => given({ visits: () => 1 })).toThrow(
      'createProcessor(config, { reducers: { "visits": defineReducer({ … }) } })',
    );
    expect(found({ reducer: 'custom' })).toEqual([
      expect.stringContaining('"custom" needs a processor that is embedded'),
    ]);
    const unasked = (): unknown => resolveConfiguration(config({}), { ...options, reducers: { visits: own } });
    expect(unasked).toThrow('the application gives a reducer for this pipeline');
  });

  test.each<[unknown, string]>([
    [{ total: { sum: 'amount' } }, 'part "total": sum is "amount": it is a JSON pointer into the value'],
    [{ total: { sum: 3 } }, 'part "total": sum is 3: it is a JSON pointer into the value'],
    [
      { total: { avg: '/amount' } },
      'part "total": its operations are first, last, min, max, sum, mean, set, funnel, and not "avg"',
    ],
    [
      { total: { summ: '/amount' } },
      'part "total": its operations are first, last, min, max, sum, mean, set, funnel, and not "summ"; did you mean sum?',
    ],
    [{ total: { sum: '/a', min: '/a' } }, 'part "total" is an object of sum, min: give it one operation'],
    [{ total: '/a' }, 'part "total" is "/a": give it one operation, as { "sum": "/amount" }'],
    [{ total: undefined }, 'part "total" is undefined: give it one operation'],
    [{ total: { sum: ['/a', {}, 1] } }, 'part "total": sum is ["/a", …, 1]: it is a JSON pointer'],
    [{ total: {} }, 'part "total" is an object of nothing: give it one operation'],
    [{ total: Object.setPrototypeOf(() => 1, null) as unknown }, 'part "total" is a function: give it one operation'],
    [{ pages: { set: '/page' } }, 'part "pages": set is "/page": it is { "field": "/page", "max": 20 }'],
    [{ pages: { set: { field: '/page' } } }, 'part "pages": set.max is missing: it is a whole number from 1 to 256'],
    [{ pages: { set: { field: '/page', max: 300 } } }, '.pages.set.max [300] a whole number from 1 to 256'],
    [{ pages: { set: { field: '/p', max: 3, by: 1 } } }, '.pages.set.by [] no such setting'],
    [
      { way: { funnel: { field: '/page', steps: ['/', '/'] } } },
      'part "way": funnel.steps is ["/", "/"]: it is 1 to 32',
    ],
    [{ way: { funnel: { field: '/p', steps: ['/', ''] } } }, '.way.funnel.steps[1] [""] a text of 1 to 256 characters'],
    [{ n: { sum: '/a' }, 'a-b': { sum: '/a' } }, 'part "a-b": a name has 1 to 64 letters'],
    [JSON.parse('{"__proto__":{"sum":"/a"}}'), 'part "__proto__": a name has 1 to 64 letters'],
    [
      Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`p${i}`, { sum: '/a' }])),
      'has 33 parts, and may have 32: leave some out',
    ],
  ])('[I4] of a session is refused, with the part, what it says and what it should say: %j', (reducer, problem) => {
    for (const each of [visits, windows])
      expect(found({ reducer }, each)).toEqual([
        expect.stringContaining(`pipelines[0].reducer${problem.startsWith('.') ? '' : ' [(an object)] '}${problem}`),
      ]);
  });

  test.each([[{}], ['last'], [[]], [7]])('[I4] of a session is refused, with all that it may be: %j', (reducer) => {
    expect(found({ reducer })).toEqual([
      expect.stringMatching(/^pipelines\[0\]\.reducer \[.*\] "custom", or an object of parts/),
    ]);
  });

  test('[S8][E1] beside several inputs and what keeps attributes out', () => {
    const input = [
      { topic: 'a', attributes: { allow: ['page'] } },
      { topic: 'b', touches: false, format: 'json', attributes: { at: '/after' } },
    ];
    expect(found({ reducer: PARTS, input })).toEqual([]);
  });

  test('[I4] what the settings of a commit say of it has a bound', () => {
    const step = (part: number, i: number): string => `/${part}/${i}/${'x'.repeat(20)}`;
    const parts = (count: number): object =>
      Object.fromEntries(
        Array.from({ length: count }, (_, part) => [
          `p${part}`,
          { funnel: { field: '/page', steps: Array.from({ length: 32 }, (_, i) => step(part, i)) } },
        ]),
      );
    expect(found({ reducer: parts(4), maxReducedBytes: 65_536 })).toEqual([]);
    expect(found({ reducer: parts(14), maxReducedBytes: 65_536 })).toEqual([
      expect.stringMatching(/reducer \[\(an object\)\] has schemas and parts of 1\d{4} bytes, as JSON; at most 12000/),
    ]);
  });

  test('[S9][S10] go with what may be revised', () => {
    const window = { graceMs: 1_000, late: 'revise', revisionWindowMs: 1_000 };
    expect(found({ reducer: PARTS, input: { topic: 'a', timestampType: 'CreateTime' }, ...window })).toEqual([]);
    const input = [{ topic: 'a' }, { topic: 'b', touches: false }];
    expect(found({ reducer: PARTS, input, revisionWindowMs: 1_000 })).toEqual([]);
  });

  test('[I4][K9] refused with what they cannot be together', () => {
    for (const each of [visits, windows])
      expect(found({ reducer: PARTS, changelogFormat: 4 }, each)).toEqual([
        expect.stringMatching(/^pipelines\[0\]\.reducer \[\(an object\)\] needs changelogFormat 5/),
      ]);
    expect(found({ reducer: PARTS, dedupeBy: 'id' }, windows)).toEqual([
      expect.stringContaining('pipelines[0].dedupeBy ["id"] leave it out'),
    ]);
    const clash = defineReducer<object>({
      state: { type: 'record', name: 'SessionSummary', fields: [] },
      initial: () => ({}),
      add: (state) => state,
      merge: (a) => a,
    });
    const avro = {
      ...config({ reducer: clash, output: { topic: 'o', format: 'avro' } }),
      schemaRegistryUrl: 'http://r',
    };
    expect(problems(avro)).toEqual([expect.stringContaining('no type of its result is named SessionSummary')]);
  });

  test('editors are told of built-in parts, and of no value that only code has', () => {
    expect(JSON.stringify(configurationJsonSchema())).toContain('"funnel"');
  });
});

describe('[S10] defineReducer', () => {
  const good = {
    state: { type: 'record', name: 'Count', fields: [{ name: 'count', type: 'long' }] },
    initial: () => ({ count: 0 }),
    add: (state: unknown) => state,
    merge: (a: unknown) => a,
  };
  test.each<[object, string]>([
    [{ add: undefined }, 'add is a function, and needed'],
    [{ finnish: 1 }, 'finnish is none of initial, add, merge, finish, state, result, maxStateBytes, version'],
    [{ finish: (a: unknown) => a }, 'finish needs result'],
    [{ result: 'long' }, 'there is no finish'],
    [{ maxStateBytes: 0 }, 'maxStateBytes is 0, wanted 1 to 65536'],
    [{ version: 0.5 }, 'version is 0.5'],
    [{ state: 'float' }, 'state: write "double" for "float"'],
    [{ state: ['null', 'long'], initial: () => null }, 'the result is a union, or null: put it into a record'],
    [{ initial: () => ({ count: 'x' }) }, 'what initial returns does not fit its schema: count is "x"'],
    [{ finish: () => 'x', result: 'long' }, 'what finish returns does not fit its schema: it is "x"'],
  ])('%j is a TypeError at the call', (changes, message) => {
    expect(() => defineReducer({ ...good, ...changes })).toThrow(
      new RegExp(message.replace(/[[\](){}.*+?^$|\\]/g, '\\$&')),
    );
  });
});
