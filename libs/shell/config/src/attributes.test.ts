// `input.attributes` (E1).
import { describe, expect, test } from '@jest/globals';
import { resolveConfiguration, rulesText } from './index.ts';
import { FOLDER, minimal, problems, resolve, visits } from './resolving.fixture.ts';

const KEY = 'sixteen or more bytes';
const environment = { HASH_KEY: KEY };
const hashKey = { env: 'HASH_KEY' };
const INPUT = { topic: 'visit-events' };

const withInput = (input: unknown, changes: object = {}): object => ({
  ...minimal,
  pipelines: [{ ...visits, ...changes, input }],
});
const of = (attributes: unknown): object => withInput({ ...INPUT, attributes });

describe('which attributes get in', () => {
  test('[E1] names are the same rules however they are written, with their key read from where it is said to be', () => {
    const one = resolve(of({ allow: ['page', 'lang'], hash: ['mail', 'ip', 'mail'], hashKey }), environment);
    const other = resolve(of({ allow: ['lang', 'page', 'page'], hash: ['ip', 'mail'], hashKey }), environment);
    expect(one.pipelines[0]!.input.attributes).toEqual({
      allow: ['lang', 'page'],
      hash: ['ip', 'mail'],
      hashKey: KEY,
    });
    expect(one.pipelines).toEqual(other.pipelines);
  });

  test('[E1][K1] stand among the settings that the changelog says, with an id of the key and not the key', () => {
    const text = (attributes: unknown, key = KEY): string =>
      rulesText(resolve(of(attributes), { HASH_KEY: key }).pipelines[0]!);
    const said = text({ allow: ['page'], hash: ['ip'], hashKey });
    expect(JSON.parse(said)).toMatchObject({ attributes: { allow: ['page'], hash: ['ip'] } });
    expect(said).toMatch(/"hashKeyId":"[0-9a-f]{8}"/);
    expect(said).not.toContain(KEY);
    expect(text({ allow: ['page'], hash: ['ip'], hashKey }, `${KEY}.`)).not.toBe(said);
    expect(text({ allow: [] })).toContain('"attributes":{"allow":[],"hash":[],"hashKeyId":null}');
    expect(rulesText(resolve(minimal).pipelines[0]!)).not.toContain('attributes"');
  });

  test('[E1][S8] are said of each of several inputs', () => {
    const { pipelines } = resolve(
      withInput([
        { topic: 'beats', attributes: { allow: [] } },
        { topic: 'customers', touches: false, attributes: { hash: ['mail'], hashKey } },
        { topic: 'more', touches: false },
      ]),
      environment,
    );
    expect(pipelines[0]!.inputs!.map(({ attributes }) => attributes?.hash)).toEqual([[], ['mail'], undefined]);
    expect(JSON.parse(rulesText(pipelines[0]!))).toMatchObject({
      inputs: [{ attributes: { allow: [] } }, { attributes: { allow: null, hash: ['mail'] } }, {}],
    });
  });

  test('[E1] a command that hashes nothing does without the key', () => {
    const file = of({ hash: ['ip'], hashKey: { file: 'none' } });
    const found = resolveConfiguration(file, { source: 'test', folder: FOLDER, environment: {}, uses: ['kafka'] });
    expect(found.pipelines[0]!.input.attributes).toEqual({ allow: undefined, hash: ['ip'], hashKey: undefined });
    expect(problems(file)[0]).toMatch(
      /^pipelines\[0\]\.input\.attributes\.hashKey \[\{"file":"none"\}\] the file cannot/,
    );
  });

  test.each<[string, unknown, RegExp]>([
    ['neither list', {}, /^pipelines\[0\]\.input\.attributes \[\] says neither allow nor hash/],
    ['no key', { hash: ['ip'] }, /^pipelines\[0\]\.input\.attributes\.hashKey \[\] is missing; hash needs it/],
    [
      'a key and nothing to hash',
      { allow: ['ip'], hashKey },
      /^pipelines\[0\]\.input\.attributes\.hashKey \[.*\] says nothing without hash/,
    ],
    ['nothing to hash', { hash: [], hashKey }, /^pipelines\[0\]\.input\.attributes\.hash \[.*\] at least 1 element/],
    [
      'the key in clear',
      { hash: ['ip'], hashKey: KEY },
      /^pipelines\[0\]\.input\.attributes\.hashKey \[\(not shown\)\] secrets are referred to/,
    ],
    [
      'a short key',
      { hash: ['ip'], hashKey: { env: 'SHORT' } },
      /^pipelines\[0\]\.input\.attributes\.hashKey \[\{"env":"SHORT"\}\] a key of at least 16 bytes/,
    ],
    ['a place that is none', { at: 'after' }, /^pipelines\[0\]\.input\.attributes\.at \["after"\] a JSON pointer/],
    [
      'a place in what need not be JSON',
      { at: '/after' },
      /^pipelines\[0\]\.input\.format \["auto"\] "json" with attributes\.at/,
    ],
    ['another setting', { deny: ['ip'] }, /^pipelines\[0\]\.input\.attributes\.deny \[\] no such setting/],
    [
      'half of a pair',
      { allow: ['\ud800'] },
      /^pipelines\[0\]\.input\.attributes\.allow\[0\] \[.*\] a name that UTF-8/,
    ],
    [
      'more names than the changelog takes',
      { allow: Array.from({ length: 200 }, (_, i) => `${i}`.padEnd(60, 'x')) },
      /^pipelines\[0\]\.input \["\d+ bytes"\] names of attributes of at most 8192 bytes together/,
    ],
  ])('[E1][I4] refused: %s', (_what, attributes, expected) => {
    const found = problems(of(attributes), { ...environment, SHORT: 'fifteen bytes..' });
    expect(found[0]).toMatch(expected);
    expect(found.join()).not.toMatch(/sixteen or|fifteen/);
  });

  test.each(['debounce', 'schedule'])('[E1][I4] refused where records have none: %s', (kind) => {
    const section = { name: 'p', kind, output: { topic: 'visits' }, ...(kind === 'debounce' && { waitMs: 1_000 }) };
    const file = { ...minimal, pipelines: [{ ...section, input: { ...INPUT, attributes: { allow: [] } } }] };
    expect(problems(file)).toEqual([
      `pipelines[0].input.attributes [] records of ${kind} pipelines have no attributes: what they hold is their value, whole; leave it out`,
    ]);
  });

  test('[E1] leases have them', () => {
    const lease = { name: 'l', kind: 'lease', timeoutMs: 5_000, output: { topic: 'visits' } };
    const file = { ...minimal, pipelines: [{ ...lease, input: { ...INPUT, attributes: { allow: [] } } }] };
    expect(problems(file)).toEqual([]);
  });
});
