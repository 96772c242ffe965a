import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { configurationJsonSchema } from './index.ts';

const validate = new Ajv2020({ strict: true, strictRequired: false, validateFormats: false }).compile(
  configurationJsonSchema(),
);

const pipeline = { name: 'v', kind: 'session', timeoutMs: '30m', input: { topic: 'i' }, output: { topic: 'o' } };
const minimal = { application: 'shop', brokers: ['127.0.0.1:9092'], pipelines: [pipeline] };

/** Numbers that are names, and count nothing. */
const UNCOUNTED = ['port', 'tokenEpoch', 'changelogFormat', 'timestamp', 'version'];

interface Shown {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Shown>>;
  readonly items?: Shown;
  readonly anyOf?: readonly Shown[];
  readonly oneOf?: readonly Shown[];
}

/** Settings that may be numbers, by name, with what editors show of them. */
function numbersIn({ properties = {}, items, anyOf = [], oneOf = [] }: Shown): [string, string | undefined][] {
  const own = Object.entries(properties).filter(([, shown]) =>
    [shown, ...(shown.anyOf ?? [])].some(({ type }) => type === 'integer' || type === 'number'),
  );
  const inner = [...Object.values(properties), ...(items === undefined ? [] : [items]), ...anyOf, ...oneOf].flatMap(
    numbersIn,
  );
  return [...own.map(([name, { description }]): [string, string | undefined] => [name, description]), ...inner];
}

describe('the JSON Schema of a configuration', () => {
  test.each([
    ['the least', minimal],
    ['$schema itself', { $schema: 'flatline.schema.json', ...minimal }],
    ['milliseconds', { ...minimal, pipelines: [{ ...pipeline, timeoutMs: 5 }] }],
    ['a session with a preset', { ...minimal, pipelines: [{ ...pipeline, timeoutMs: undefined, preset: 'web' }] }],
    ['a session with both', { ...minimal, pipelines: [{ ...pipeline, preset: 'web' }] }],
    ['a kind without a timeout', { ...minimal, pipelines: [{ ...pipeline, timeoutMs: undefined, kind: 'schedule' }] }],
    [
      'a secret by its variable',
      { ...minimal, kafka: { sasl: { mechanism: 'plain', username: 'u', password: { env: 'P' } } } },
    ],
  ])('takes %s', (_name, config) => {
    validate(JSON.parse(JSON.stringify(config)));
    expect(validate.errors).toBeNull();
  });

  test.each([
    ['a setting that is not there', { ...minimal, aplication: 'shop' }],
    ['a session without a timeout', { ...minimal, pipelines: [{ ...pipeline, timeoutMs: undefined }] }],
    ['a preset that is not there', { ...minimal, pipelines: [{ ...pipeline, preset: 'wbe' }] }],
    [
      'a lease without a timeout',
      { ...minimal, pipelines: [{ ...pipeline, kind: 'lease', timeoutMs: undefined, preset: 'web' }] },
    ],
    ['a length of time in words', { ...minimal, pipelines: [{ ...pipeline, timeoutMs: 'half an hour' }] }],
    ['a secret as a value', { ...minimal, kafka: { sasl: { mechanism: 'plain', username: 'u', password: 'p' } } }],
    ['no pipeline', { ...minimal, pipelines: [] }],
  ])('marks %s', (_name, config) => {
    expect(validate(JSON.parse(JSON.stringify(config)))).toBe(false);
  });

  test('says the unit of every number that counts something', () => {
    const numbers = numbersIn(configurationJsonSchema());
    expect(numbers.length).toBeGreaterThan(50);
    const without = numbers.filter(([, description]) => description?.startsWith('Unit: ') !== true);
    expect([...new Set(without.map(([name]) => name))].toSorted()).toEqual(UNCOUNTED.toSorted());
  });
});
