import { describe, expect, test } from '@jest/globals';
import { rulesText } from './rules-text.ts';
import { ConfigurationError } from './configuration-error.ts';
import { resolveConfiguration } from './resolve.ts';

const VISITS = { name: 'visits', kind: 'session', timeoutMs: '30m', input: { topic: 'in' }, output: { topic: 'out' } };
const REMINDERS = { name: 'reminders', kind: 'schedule', input: { topic: 'to-remind' }, output: { topic: 'due' } };
const ALERTS = {
  name: 'alerts',
  kind: 'debounce',
  waitMs: '1s',
  input: { topic: 'lost' },
  output: { topic: 'alerted' },
};

function resolved(...pipelines: readonly object[]) {
  const file = { application: 'shop', brokers: ['b:1'], schemaRegistryUrl: 'http://r', pipelines };
  return resolveConfiguration(file, { source: 'test', folder: '/', environment: {} }).pipelines;
}

function problems(...pipelines: readonly object[]): readonly string[] {
  try {
    resolved(...pipelines);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.findings.map(({ setting, problem }) => `${setting}: ${problem}`);
  }
}

const routing = (route: object, more: object = {}) => ({ ...VISITS, routes: [{ to: 'to-remind', ...route }], ...more });

describe('[P3][I4] routes', () => {
  test('[P3] are read with lengths of time, and said in the changelog without their functions', () => {
    const record = () => undefined;
    const routes = [
      { on: ['TIMEOUT'], to: 'to-remind', headers: { 'flatline-due-at': { at: '/closedAt', plusMs: '1h' } } },
      { to: 'elsewhere', record },
      { to: 'elsewhere', record, version: 2 },
    ];
    const [visits] = resolved({ ...VISITS, routes }, REMINDERS);
    const read = [
      { on: ['TIMEOUT'], to: 'to-remind', headers: { 'flatline-due-at': { at: '/closedAt', plusMs: 3_600_000 } } },
    ];
    expect(visits!.routes).toEqual([...read, { to: 'elsewhere', record }, { to: 'elsewhere', record, version: 2 }]);
    const said = JSON.parse(rulesText(visits!)) as { readonly routes: unknown };
    const functions = [
      { to: 'elsewhere', code: true },
      { to: 'elsewhere', version: 2, code: true },
    ];
    expect(said.routes).toEqual([...read, ...functions]);
    expect(JSON.parse(rulesText(resolved(VISITS)[0]!))).not.toHaveProperty('routes');
  });

  test.each<[string, readonly object[], RegExp]>([
    [
      'another name',
      [routing({ on: ['TIMEOUTS'] }), REMINDERS],
      /routes\[0\]\.on\[0\]: outputs of kind "session" say TIMEOUT.*did you mean TIMEOUT/,
    ],
    ['a broken pointer', [routing({ key: '/a~2' }), REMINDERS], /routes\[0\]\.key/],
    [
      'a function beside a key',
      [routing({ key: 'x', record: () => undefined }), REMINDERS],
      /routes\[0\]\.key: left out beside record/,
    ],
    [
      'a function that is none',
      [routing({ record: 'x' }), REMINDERS],
      /routes\[0\]\.record: .*a function of the output/,
    ],
    [
      'a version without a function',
      [routing({ version: 2 }), REMINDERS],
      /routes\[0\]\.version: left out without record/,
    ],
    [
      'the header of its own',
      [routing({ headers: { 'flatline-route': 'x' } }), REMINDERS],
      /routes\[0\]\.headers: another header/,
    ],
    [
      'outputs in Avro',
      [routing({}, { output: { topic: 'out', format: 'avro' } }), REMINDERS],
      /output\.format: "json" where there are routes/,
    ],
    [
      'an output',
      [routing({ to: 'due' }), REMINDERS],
      /a topic of its own; pipelines\[0\]\.routes\[0\]\.to is the same/,
    ],
    ['its own output', [routing({ to: 'out' })], /a topic of its own/],
    ['a changelog', [routing({ to: 'shop.visits.changelog' })], /a topic of its own/],
  ])('[P3] with %s are refused', (_, pipelines, problem) => {
    expect(problems(...pipelines)).toEqual([expect.stringMatching(problem)]);
  });

  test('[P3] may lead to one topic from several pipelines, and to one that no pipeline here reads', () => {
    const other = {
      ...VISITS,
      name: 'others',
      output: { topic: 'out-2' },
      routes: [{ to: 'to-remind' }, { to: 'anywhere' }],
    };
    expect(problems(routing({}), other, REMINDERS)).toEqual([]);
  });

  test.each<[string, readonly object[], string]>([
    ['itself', [routing({ to: 'in' })], 'visits → visits'],
    ['itself, by another', [routing({}), { ...REMINDERS, routes: [{ to: 'in' }] }], 'visits → reminders → visits'],
    [
      'itself, by a target of schedules',
      [routing({}), { ...REMINDERS, targets: ['in'] }],
      'visits → reminders → visits',
    ],
    [
      'itself, by two others',
      [routing({ to: 'lost' }), { ...ALERTS, routes: [{ to: 'to-remind' }] }, { ...REMINDERS, targets: ['in'] }],
      'visits → alerts → reminders → visits',
    ],
  ])('[P3] that lead back to %s are refused, with the way', (_, pipelines, way) => {
    expect(problems(...pipelines)).toContainEqual(
      `pipelines[0].routes[0].to: a topic from which nothing leads back here: ${way} would go round for ever (rule P3)`,
    );
  });

  test('[P3] are what is named where an output is another input', () => {
    expect(problems(VISITS, { ...REMINDERS, input: { topic: 'out' } })).toEqual([
      expect.stringContaining('What an output is to bring about there, its pipeline says in routes (rule P3)'),
    ]);
  });
});
