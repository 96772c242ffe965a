import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { Retriable } from '@flatline/base';
import { ConfigurationError, type Environment, resolveConfiguration, type SecretSection } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'flatline-secrets-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
writeFileSync(join(folder, 'secret'), 'hush\n');
writeFileSync(join(folder, 'ca.pem'), 'CERTIFICATE\n');
writeFileSync(join(folder, 'empty'), '');
writeFileSync(join(folder, 'blank'), ' \t\r\n\n');
writeFileSync(join(folder, 'marked'), '\uFEFFhush\r\n');
writeFileSync(join(folder, 'two'), 'one\ntwo\n');

const minimal = {
  application: 'shop',
  brokers: ['127.0.0.1:9092'],
  pipelines: [{ name: 'v', kind: 'session', timeoutMs: 1, input: { topic: 'i' }, output: { topic: 'o' } }],
};
const sasl = (password: unknown): unknown => ({ kafka: { sasl: { mechanism: 'plain', username: 'u', password } } });

const ingest = (token: unknown): unknown => ({
  ingest: { tokens: [{ env: 'OTHER' }, token] },
  pipelines: [{ ...minimal.pipelines[0], timeoutMs: 60_000 }],
});

const resolve = (changes: unknown, environment: Environment = {}) =>
  resolveConfiguration({ ...minimal, ...(changes as object) }, { source: 'test', folder, environment });

function passwordOf(changes: unknown, environment?: Environment): unknown {
  const { sasl } = resolve(changes, environment).kafka;
  return sasl?.mechanism === 'plain' ? sasl.password : undefined;
}

function messageOf(changes: unknown, environment: Environment = {}): string {
  try {
    resolve(changes, environment);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message + JSON.stringify(error.findings);
    throw error;
  }
  return '';
}

describe('a secret', () => {
  test('comes from a file beside the configuration, or from the environment', () => {
    expect(passwordOf(sasl({ file: 'secret' }))).toBe('hush');
    expect(passwordOf(sasl({ file: join(folder, 'secret') }))).toBe('hush');
    expect(passwordOf(sasl({ env: 'PW' }), { PW: 'hush' })).toBe('hush');
  });

  test('in a file is read again for the next connection; one that is gone may come back', () => {
    writeFileSync(join(folder, 'changing'), 'first');
    writeFileSync(join(folder, 'changing.pem'), 'FIRST');
    const ssl = { ca: 'changing.pem' };
    const { kafka } = resolve({ kafka: { ssl, ...(sasl({ file: 'changing' }) as { kafka: object }).kafka } });
    const at = (): unknown => kafka.credentials();
    expect(at()).toEqual({ ssl: { ca: 'FIRST' }, sasl: { mechanism: 'plain', username: 'u', password: 'first' } });
    writeFileSync(join(folder, 'changing'), 'second\n');
    writeFileSync(join(folder, 'changing.pem'), 'SECOND');
    expect(at()).toEqual({ ssl: { ca: 'SECOND' }, sasl: { mechanism: 'plain', username: 'u', password: 'second' } });
    rmSync(join(folder, 'changing'));
    expect(at).toThrow(Retriable);
    expect(at).toThrow(/kafka\.sasl\.password is \{"file":"changing"\}: the file cannot be read \(ENOENT/);
    writeFileSync(join(folder, 'changing'), '');
    expect(at).toThrow(/kafka\.sasl\.password is \{"file":"changing"\}: the file is empty/);
  });

  test('of a pipe can be read once, and is kept', () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    const writer = spawn('sh', ['-c', 'printf hush > "$0"', join(folder, 'pipe')]);
    const { kafka } = resolve(sasl({ file: 'pipe' }));
    writer.unref();
    expect(kafka.credentials().sasl).toMatchObject({ password: 'hush' });
  });

  test('[I4] is asked for by its mechanism, and nothing of another one is taken', () => {
    const client = { tokenEndpoint: 'https://id.example/token', clientId: 'c', clientSecret: { env: 'PW' } };
    const of = (section: object): unknown => ({ kafka: { sasl: section } });
    const bearer = { mechanism: 'oauthbearer', ...client, extensions: { pool: 'p-1' } };
    expect(resolve(of(bearer), { PW: 'hush' }).kafka.sasl).toEqual({
      ...bearer,
      clientSecret: 'hush',
      scope: undefined,
    });
    const said = (section: object): string => messageOf(of(section), { PW: 'hush' });
    expect(said({ mechanism: 'plain', username: 'u' })).toContain(
      'kafka.sasl.password: is missing; mechanism "plain" needs it',
    );
    expect(said({ mechanism: 'oauthbearer', clientId: 'c', clientSecret: { env: 'PW' } })).toContain(
      'kafka.sasl.tokenEndpoint: is missing; mechanism "oauthbearer" needs it',
    );
    expect(said({ ...bearer, username: 'u' })).toContain(
      'kafka.sasl.username: is no setting of mechanism "oauthbearer"; it takes tokenEndpoint, clientId, clientSecret, scope, extensions',
    );
    expect(said({ ...bearer, tokenEndpoint: 'ftp://id' })).toContain('kafka.sasl.tokenEndpoint is "ftp://id": a URL');
    expect(said({ ...bearer, extensions: { 'a b': 'x' } })).toContain('kafka.sasl.extensions');
    expect(said({ ...bearer, extensions: { auth: 'x' } })).toContain('kafka.sasl.extensions');
    const withSecret = said({ ...bearer, tokenEndpoint: 'https://c:hush@id.example/token' });
    expect(withSecret).toContain('kafka.sasl.tokenEndpoint is "https://(not shown)@id.example/token"');
    expect(withSecret).not.toContain('hush');
    expect(said({ ...bearer, tokenEndpoint: 'https://c:hu/s@h@id' })).toContain('is "https://(not shown)@id"');
    // The secret goes along.
    for (const far of [
      'http://id.example/token',
      'http://127.0.0.1.example/token',
      'http://localhost.example/token',
      'http://notlocalhost/',
    ])
      expect(said({ ...bearer, tokenEndpoint: far })).toContain('http:// to loopback only');
    for (const near of ['http://127.0.0.1:8080/token', 'http://localhost/token', 'http://[::1]:8080/token'])
      expect(resolve(of({ ...bearer, tokenEndpoint: near }), { PW: 'hush' }).kafka.sasl).toMatchObject({
        tokenEndpoint: near,
      });
  });

  test('[I4] that is not there is said by its reference', () => {
    expect(messageOf(sasl({ env: 'PW' }))).toContain('kafka.sasl.password is {"env":"PW"}: the variable PW is not set');
    expect(messageOf(sasl({ file: 'none' }))).toMatch(/kafka\.sasl\.password is {"file":"none"}: .*cannot be read/);
  });

  test('a line end at its end and a byte order mark before it are no part of it, wherever it comes from', () => {
    expect(passwordOf(sasl({ file: 'marked' }))).toBe('hush');
    expect(passwordOf(sasl({ env: 'PW' }), { PW: 'hush\r\n' })).toBe('hush');
    expect(passwordOf(sasl({ env: 'PW' }), { PW: ' hush ' })).toBe(' hush ');
  });

  const wherever: readonly (readonly [string, (secret: unknown) => unknown])[] = [
    ['kafka.sasl.password', sasl],
    [
      'kafka.sasl.clientSecret',
      (clientSecret) => ({
        kafka: { sasl: { mechanism: 'oauthbearer', tokenEndpoint: 'https://id', clientId: 'c', clientSecret } },
      }),
    ],
    ['kafka.ssl.key', (key) => ({ kafka: { ssl: { key } } })],
    ['kafka.ssl.passphrase', (passphrase) => ({ kafka: { ssl: { passphrase } } })],
    [
      'schemaRegistryAuth.password',
      (password) => ({ schemaRegistryUrl: 'http://r:1', schemaRegistryAuth: { username: 'u', password } }),
    ],
    ['schemaRegistrySsl.key', (key) => ({ schemaRegistryUrl: 'https://r:1', schemaRegistrySsl: { key } })],
    [
      'schemaRegistrySsl.passphrase',
      (passphrase) => ({ schemaRegistryUrl: 'https://r:1', schemaRegistrySsl: { passphrase } }),
    ],
    ['ingest.tokens[1]', ingest],
  ];
  test.each(wherever)('[I4] that is empty is refused: %s', (setting, section) => {
    const others = { OTHER: 'a-token' };
    for (const file of ['empty', 'blank'])
      expect(messageOf(section({ file }), others)).toContain(
        `${setting} is {"file":"${file}"}: the file is empty; write the secret into it`,
      );
    for (const PW of ['', ' \n'])
      expect(messageOf(section({ env: 'PW' }), { ...others, PW })).toContain(
        `${setting} is {"env":"PW"}: the variable PW is empty; set it to the secret`,
      );
    expect(messageOf(section(''), others)).toContain(`${setting} is`);
  });

  test('[I4] a token that no request can name is refused, and not shown', () => {
    const others = { OTHER: 'a-token' };
    const problem = 'a token is one line, without white space around it';
    for (const PW of ['hush hush\u0000', ' hush', 'hush ', 'hu\nsh']) {
      const message = messageOf(ingest({ env: 'PW' }), { ...others, PW });
      expect(message).toContain(`ingest.tokens[1] is {"env":"PW"}: ${problem}`);
      expect(message).not.toMatch(/hu\s?sh/);
    }
    expect(messageOf(ingest({ file: 'two' }), others)).toContain('ingest.tokens[1] is {"file":"two"}');
    expect(resolve(ingest({ env: 'PW' }), { ...others, PW: 'a long token~_/+=' }).ingest?.tokens[1]).toBe(
      'a long token~_/+=',
    );
  });

  test('[I4] is missed only where its section is asked for, which is else left out', () => {
    const whole = {
      ...(ingest({ env: 'B' }) as object),
      schemaRegistryUrl: 'http://r:1',
      schemaRegistryAuth: { username: 'u', password: { env: 'C' } },
      kafka: { ssl: { ca: 'none.pem' }, sasl: { mechanism: 'plain', username: 'u', password: { env: 'D' } } },
    };
    const found = (uses: readonly SecretSection[], environment: Environment = {}) =>
      resolveConfiguration({ ...minimal, ...whole }, { source: 'test', folder, environment, uses });
    expect(found([])).toMatchObject({ ingest: undefined, schemaRegistry: undefined });
    expect(found([]).kafka).toMatchObject({ ssl: false, sasl: undefined, sessionTimeoutMs: 10_000 });
    expect(found(['schemaRegistry'], { C: 'c' }).schemaRegistry?.auth?.password).toBe('c');
    const settings = (uses: readonly SecretSection[]): readonly string[] => {
      try {
        found(uses);
      } catch (error) {
        if (error instanceof ConfigurationError) return error.findings.map(({ setting }) => setting);
        throw error;
      }
      return [];
    };
    expect(settings(['kafka'])).toEqual(['kafka.sasl.password', 'kafka.ssl.ca']);
    expect(settings(['schemaRegistry'])).toEqual(['schemaRegistryAuth.password']);
    expect(settings(['ingest'])).toEqual(['ingest.tokens[0]', 'ingest.tokens[1]']);
    expect(messageOf(whole)).toMatch(/ingest[^]*kafka|kafka[^]*ingest/);
  });

  test('[I4] a registry address of the environment whose password is empty is refused', () => {
    expect(messageOf({}, { SCHEMA_REGISTRY_URL: 'http://u:@r:1' })).toContain(
      'SCHEMA_REGISTRY_URL (schemaRegistryUrl) is "http://(not shown)@r:1": its password is empty',
    );
  });

  test('of the registry stands beside its URL', () => {
    const schemaRegistryAuth = { username: 'me@home', password: { env: 'PW' } };
    const config = resolve({ schemaRegistryUrl: 'http://r:1/x', schemaRegistryAuth }, { PW: 'a:b/%c' });
    expect(config.schemaRegistry).toMatchObject({
      url: 'http://r:1/x',
      auth: { username: 'me@home', password: 'a:b/%c' },
    });
    expect(messageOf({ schemaRegistryAuth }, { PW: 'x' })).toContain('schemaRegistryAuth: needs a schema registry');
  });

  test('TLS at the registry takes what TLS at the brokers does', () => {
    const schemaRegistrySsl = { ca: 'ca.pem', key: { env: 'KEY' } };
    const config = resolve({ schemaRegistryUrl: 'https://r:1', schemaRegistrySsl }, { KEY: 'KEY TEXT' });
    expect(config.schemaRegistry?.tls).toEqual({ ca: 'CERTIFICATE\n', key: 'KEY TEXT' });
    expect(messageOf({ schemaRegistryUrl: 'https://r:1', schemaRegistrySsl: { ca: 'none.pem' } })).toContain(
      'schemaRegistrySsl.ca is {"file":"none.pem"}',
    );
    expect(messageOf({ schemaRegistryUrl: 'http://r:1', schemaRegistrySsl: {} })).toContain(
      'schemaRegistrySsl: needs an https:// address',
    );
    expect(messageOf({ schemaRegistrySsl: {} })).toContain('schemaRegistrySsl: needs a schema registry');
  });

  test('TLS takes certificates from files, the key as a secret', () => {
    const ssl = { ca: 'ca.pem', key: { env: 'KEY' }, rejectUnauthorized: false };
    expect(resolve({ kafka: { ssl } }, { KEY: 'KEY TEXT' }).kafka.ssl).toEqual({
      ca: 'CERTIFICATE\n',
      key: 'KEY TEXT',
      rejectUnauthorized: false,
    });
    expect(resolve({ kafka: { ssl: true } }).kafka.ssl).toBe(true);
    expect(messageOf({ kafka: { ssl: { ca: 'none.pem' } } })).toContain('kafka.ssl.ca is {"file":"none.pem"}');
    expect(messageOf({ kafka: { ssl: { kee: 1 } } })).toContain('kafka.ssl.kee: no such setting; did you mean key?');
  });

  test.each([
    ['as a text', sasl('hush-hush')],
    ['in a form of its own', sasl({ value: 'hush-hush' })],
    ['in a list', sasl(['hush-hush'])],
    ['misspelt', { kafka: { sasl: { mechanism: 'plain', username: 'u', pasword: 'hush-hush' } } }],
    ['below a wrong section', { kafka: [{ sasl: { password: 'hush-hush' } }] }],
    ['in a section of another form', { kafka: { sasl: ['plain', { password: 'hush-hush' }] } }],
    ['as the secret of a client', { kafka: { sasl: { mechanism: 'oauthbearer', clientSecret: 'hush-hush' } } }],
    ['as a private key', { kafka: { ssl: { key: 'hush-hush' } } }],
    ["as the registry's private key", { schemaRegistrySsl: { key: 'hush-hush' } }],
    ['as a passphrase', { kafka: { ssl: { passphrase: 'hush-hush' } } }],
    ['in a URL', { schemaRegistryUrl: 'http://u:hush-hush@r:1' }],
    ['in a URL of another scheme', { schemaRegistryUrl: 'ftp://u:hush-hush@r:1' }],
    ['in the address of a broker', { brokers: ['sasl://u:hush-hush@b:1'] }],
  ])('[I4] written into the configuration %s is refused, and not shown', (_, changes) => {
    const message = messageOf(changes);
    expect(message).not.toBe('');
    expect(message).not.toContain('hush-hush');
  });

  test('a registry URL of the environment may hold credentials', () => {
    const SCHEMA_REGISTRY_URL = 'http://u:hush-hush@r:1';
    expect(resolve({}, { SCHEMA_REGISTRY_URL }).schemaRegistry?.url).toBe(SCHEMA_REGISTRY_URL);
    expect(messageOf({ application: '' }, { SCHEMA_REGISTRY_URL })).not.toContain('hush-hush');
  });
});
