import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { ConfigurationError, type Environment, loadConfiguration, resolveConfiguration } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'flatline-config-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const visits = {
  name: 'visits',
  kind: 'session',
  timeoutMs: 1_800_000,
  input: { topic: 'visit-events' },
  output: { topic: 'visits' },
};
const minimal = { application: 'shop', brokers: ['127.0.0.1:9092'], pipelines: [visits] };

const resolve = (config: unknown, environment: Environment = {}): ReturnType<typeof resolveConfiguration> =>
  resolveConfiguration(config, { source: 'flatline.config.json', folder, environment });

/** `setting: problem` of everything that is wrong. */
function problems(config: unknown, environment: Environment = {}): string[] {
  try {
    resolve(config, environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.findings.map(({ setting, value, problem }) => `${setting} [${value ?? ''}] ${problem}`);
  }
}

describe('a valid configuration', () => {
  test('the least one has the defaults and derived names of the interface', () => {
    expect(resolve(minimal)).toMatchObject({
      application: 'shop',
      commitIntervalMs: 100,
      http: { host: '127.0.0.1', port: 7070 },
      stateDir: join(folder, 'state'),
      pipelines: [
        {
          group: 'shop.visits',
          changelogTopic: 'shop.visits.changelog',
          deadLetterTopic: 'shop.visits.dead-letters',
          input: { format: 'auto', timestampType: 'LogAppendTime', maxKeyBytes: 512 },
          output: { topic: 'visits', format: 'json' },
          rules: { timeoutMs: 1_800_000, dedupeEventIds: 16 },
          proofIntervalMs: 100,
          tickMs: 10,
        },
      ],
    });
  });

  test('the environment goes over the file', () => {
    const environment = {
      KAFKA_BROKERS: 'a:1, b:2',
      FLATLINE_COMMIT_INTERVAL_MS: '250',
      FLATLINE_HTTP_PORT: '0',
      SCHEMA_REGISTRY_URL: 'http://r:1',
    };
    const config = resolve(minimal, environment);
    expect(config).toMatchObject({
      brokers: ['a:1', 'b:2'],
      commitIntervalMs: 250,
      http: { port: 0 },
      schemaRegistryUrl: 'http://r:1',
    });
  });

  test('a secret comes from where it is referred to, and is in no message', () => {
    const sasl = (password: unknown): unknown => ({
      ...minimal,
      kafka: { sasl: { mechanism: 'plain', username: 'u', password } },
    });
    writeFileSync(join(folder, 'secret'), 'hush\n');
    expect(resolve(sasl({ file: 'secret' })).kafka.sasl?.password).toBe('hush');
    expect(resolve(sasl({ env: 'PW' }), { PW: 'hush' }).kafka.sasl?.password).toBe('hush');
    expect(problems(sasl({ env: 'PW' }))).toEqual(['kafka.sasl.password [{"env":"PW"}] the variable PW is not set']);
    expect(problems(sasl('hush'))).toHaveLength(1);
  });
});

describe('[I4] what is wrong', () => {
  test('[I4] everything at once, each with setting, value and what is allowed', () => {
    const found = problems({
      ...minimal,
      brokers: ['nowhere'],
      comitIntervalMs: 5,
      pipelines: [{ ...visits, timeoutMs: 0, output: { topic: 'a b', format: 'xml' } }],
    });
    expect(found).toEqual(
      expect.arrayContaining([
        'brokers[0] ["nowhere"] host:port, for example 127.0.0.1:9092',
        'comitIntervalMs [] no such setting; did you mean commitIntervalMs?',
        expect.stringMatching(/^pipelines\[0\]\.timeoutMs \[0\] .*1/),
        'pipelines[0].output.topic ["a b"] a topic name: letters, digits, ".", "_" and "-"',
        expect.stringMatching(/^pipelines\[0\]\.output\.format \["xml"\] .*"json"\|"avro"/),
      ]),
    );
    expect(found).toHaveLength(5);
  });

  test('[I4] a missing setting is called missing', () => {
    expect(problems({ brokers: ['a:1'], pipelines: [visits] })).toEqual(['application [] is missing; expected string']);
  });

  test.each([
    [{ minTimeoutMs: 10, maxTimeoutMs: 5 }, 'pipelines[0].minTimeoutMs [10] at most maxTimeoutMs (5)'],
    [{ maxTimeoutMs: 1_000 }, 'pipelines[0].timeoutMs [1800000] minTimeoutMs (1) to maxTimeoutMs (1000)'],
    [
      { output: { topic: 'visit-events' } },
      'pipelines[0].output.topic ["visit-events"] a topic of its own; pipelines[0].input.topic is the same',
    ],
    [
      { output: { topic: 'o', format: 'avro' } },
      'pipelines[0].output.format ["avro"] needs a schema registry: set schemaRegistryUrl, or SCHEMA_REGISTRY_URL in the environment',
    ],
    [{ kind: 'lease' }, 'pipelines[0].kind ["lease"] is not available in this version; use "session"'],
    [{ proof: 'fetch' }, 'pipelines[0].proof ["fetch"] is not available in this version; use "record"'],
    [{ standbys: 1 }, 'pipelines[0].standbys [1] is not available in this version; use 0'],
    [
      { input: [{ topic: 'a' }, { topic: 'b' }] },
      'pipelines[0].input ["2 inputs"] is not available in this version; use one input',
    ],
    [{ name: '../etc' }, 'pipelines[0].name ["../etc"] letters, digits, ".", "_" and "-", not beginning with "."'],
  ])('[I4] %j', (changes, problem) => {
    expect(problems({ ...minimal, pipelines: [{ ...visits, ...changes }] })).toEqual([problem]);
  });

  test('[I4] a misspelt variable of the environment', () => {
    expect(problems(minimal, { FLATLINE_STATEDIR: 'x' })[0]).toMatch(
      /^FLATLINE_STATEDIR \[\] no such variable; there are .*FLATLINE_STATE_DIR/,
    );
  });

  test('[I4] two pipelines of one name', () => {
    const other = { ...visits, output: { topic: 'other' }, deadLetterTopic: 'dead' };
    expect(problems({ ...minimal, pipelines: [visits, other] })[0]).toContain(
      'pipelines[1].name ["visits"] another pipeline',
    );
  });
});

describe('a file', () => {
  test('JSON and TypeScript are read, found by name, and errors name the file', async () => {
    const json = join(folder, 'flatline.config.json');
    writeFileSync(json, JSON.stringify(minimal));
    await expect(loadConfiguration({ file: undefined, folder, environment: {} })).resolves.toMatchObject({
      application: 'shop',
    });
    writeFileSync(json, '{');
    await expect(loadConfiguration({ file: json, folder, environment: {} })).rejects.toThrow(json);
    await expect(loadConfiguration({ file: 'none.json', folder, environment: {} })).rejects.toThrow(ConfigurationError);
    await expect(loadConfiguration({ file: undefined, folder: tmpdir(), environment: {} })).rejects.toThrow('--config');
  });
});
