import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { AssertionError, Fatal } from '@flatline/base';
import { type FlatlineConfig, resolveConfiguration } from '@flatline/config';
import type { RuntimeLog } from '@flatline/runtime';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Diagnosis } from './diagnosis.ts';
import { withoutQuotations } from './redaction.ts';

const root = mkdtempSync(join(tmpdir(), 'flatline-diagnosis-test-'));
let folder = root;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'a'));
});
afterAll(() => {
  rmSync(root, { recursive: true });
});

const silent: RuntimeLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

function diagnosis(wallMs: () => number = () => 1_700_000_000_000, args: readonly string[] = ['run']): Diagnosis {
  const clock = { wallMs, monotonicMs: () => 5, after: () => () => undefined };
  return new Diagnosis({ clock, args, version: '1.2.3', folder });
}

function written(by: Diagnosis, error: unknown): Record<string, unknown> {
  return JSON.parse(readFileSync(by.write(error)!, 'utf8')) as Record<string, unknown>;
}

function configurationIn(stateDir: string): FlatlineConfig {
  const secret = (name: string): { env: string } => ({ env: name });
  const input = {
    application: 'shop',
    brokers: ['b:9092'],
    stateDir,
    schemaRegistryUrl: 'https://r:8081',
    schemaRegistryAuth: { username: 'registrar', password: secret('REGISTRY') },
    kafka: {
      ssl: { key: secret('KEY'), passphrase: secret('PHRASE') },
      sasl: { mechanism: 'plain' as const, username: 'shop-user', password: secret('PASSWORD') },
    },
    ingest: { tokens: [secret('TOKEN')] },
    pipelines: [
      { name: 'visits', kind: 'session' as const, timeoutMs: 10_000, input: { topic: 'i' }, output: { topic: 'o' } },
    ],
  };
  const registry = 'https://u5er:p4ss%3A@r:8081';
  const environment = {
    SCHEMA_REGISTRY_URL: registry,
    REGISTRY: 'top:secret-1',
    KEY: 'top-secret-2',
    PHRASE: 'top-secret-3',
    PASSWORD: 'top-secret-4',
    TOKEN: 'top-secret-5',
  };
  return resolveConfiguration(input, { source: 'test', folder, environment });
}

describe('a diagnosis', () => {
  test('[I8] says the version, the machine, the error with its causes, and what was asked', () => {
    const error = new TypeError('cannot', { cause: new AssertionError('the commit before is settled', { offset: 7 }) });
    const { error: shown, ...rest } = written(
      diagnosis(undefined, ['sessions', 'tail', 'a-key', '-b-key', '--limit=5']),
      error,
    );
    expect(rest).toMatchObject({ version: '1.2.3', node: process.version, command: ['sessions', '--limit'] });
    expect(shown).toMatchObject({
      name: 'TypeError',
      message: 'cannot',
      frames: expect.arrayContaining([expect.stringMatching(/^at /)]),
      cause: { name: 'AssertionError', message: 'the commit before is settled', facts: { offset: 7 } },
    });
  });

  test('[I8] has the configuration, and no secret of it, wherever one stands', () => {
    const shown = diagnosis();
    shown.configured(configurationIn(folder));
    const text = readFileSync(
      shown.write(new Fatal('refused for shop-user, top-secret-4 and top-secret-5 at https://u5er:p4ss:@r:8081'))!,
      'utf8',
    );
    for (const secret of ['top:secret', 'top%3Asecret', 'top-secret', 'shop-user', 'registrar', 'u5er', 'p4ss'])
      expect(text).not.toContain(secret);
    expect(JSON.parse(text)).toMatchObject({
      configuration: {
        application: 'shop',
        schemaRegistry: { auth: { username: '(removed)', password: '(removed)' } },
        ingest: { tokens: '(removed)' },
        kafka: {
          ssl: { key: '(removed)', passphrase: '(removed)' },
          sasl: { mechanism: 'plain', username: '(removed)', password: '(removed)' },
          sessionTimeoutMs: 10_000,
        },
        pipelines: [{ name: 'visits', rules: { timeoutMs: 10_000 } }],
      },
    });
  });

  test('[I8] has the tasks and the last of the log, and nothing that came with a record', () => {
    const shown = diagnosis();
    const said: string[] = [];
    const log = shown.watch({ ...silent, warn: (message) => said.push(message) });
    for (let offset = 0; offset < 300; offset += 1)
      log.info('task runs', { pipeline: 'visits', partition: 3, offset, partitions: [1, 2] });
    log.warn('reading is interrupted', {
      key: 'customer-1',
      reason: 'for "customer-5"',
      attributes: { a: 'customer-2' },
      error: badJson(),
    });
    expect(said).toEqual(['reading is interrupted']);
    shown.observe(() => [{ ...task, detail: 'commits less, because of "customer-3"' }]);
    const text = readFileSync(shown.write(badJson())!, 'utf8');
    expect(text).not.toContain('customer');
    const { log: lines, tasks } = JSON.parse(text) as { log: Record<string, unknown>[]; tasks: unknown[] };
    expect(lines).toHaveLength(200);
    expect(lines[0]).toMatchObject({ message: 'task runs', pipeline: 'visits', offset: 101, partitions: [1, 2] });
    expect(lines.at(-1)).toMatchObject({ message: 'reading is interrupted', key: '(removed)' });
    expect(tasks).toMatchObject([{ partition: 3, state: 'running', liveEntries: 12 }]);
  });

  test('tasks that cannot be asked do not cost the rest', () => {
    const shown = diagnosis();
    shown.observe(() => {
      throw new RangeError('broken');
    });
    expect(written(shown, 'thrown as text')).toMatchObject({
      error: { message: 'thrown as text' },
      tasks: { name: 'RangeError', message: 'broken' },
    });
  });
});

describe('its file', () => {
  test('lies in the state directory, readable by its owner only', () => {
    const shown = diagnosis();
    shown.configured(configurationIn(join(folder, 'state')));
    const path = shown.write(new Error('x'))!;
    expect(path.startsWith(join(folder, 'state', 'flatline-diagnosis-2023-11-14T22-13-20-000Z'))).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('lies elsewhere where the state directory takes none, and nowhere where nothing does', () => {
    writeFileSync(join(folder, 'file'), '');
    const shown = diagnosis();
    shown.configured(configurationIn(join(folder, 'file', 'state')));
    expect(shown.write(new Error('x'))).toContain(join(folder, 'flatline-diagnosis-'));
    folder = join(folder, 'file');
    expect(diagnosis().write(new Error('x'))).toBeUndefined();
  });

  test('is one of ten at most: a supervisor restarts what has ended', () => {
    writeFileSync(join(folder, 'data.mdb'), '');
    let now = 1_700_000_000_000;
    const shown = diagnosis(() => now);
    const paths = Array.from({ length: 12 }, () => {
      now += 60_000;
      return shown.write(new Error('x'))!;
    });
    const left = readdirSync(folder).map((name) => join(folder, name));
    expect(left.sort()).toEqual([join(folder, 'data.mdb'), ...paths.slice(2)]);
  });
});

test.each([
  ['nothing is quoted', 'nothing is quoted'],
  [`Unexpected token 'c', ..."{"id":"customer"}" is not valid JSON`, 'Unexpected token “(removed)” is not valid JSON'],
  ['x'.repeat(600), `${'x'.repeat(500)}…`],
])('a message without what it quotes: %s', (message, kept) => {
  expect(withoutQuotations(message)).toBe(kept);
});

function badJson(): Error {
  try {
    JSON.parse('{"id":"customer-4" x}');
  } catch (error) {
    return error as Error;
  }
  throw new Error('unreachable');
}

const task = {
  pipeline: 'visits',
  partition: 3,
  state: 'running' as const,
  clock: 1,
  liveEntries: 12,
  stateFill: 0,
  stateBytes: 0,
  commitFill: 0,
  probe: undefined,
  heldMs: 0,
  lag: 0,
  expiryLagMs: 0,
  nextDueAt: undefined,
  position: 1,
  inputs: [],
  committedPosition: 1,
  counters: undefined,
  refused: undefined,
  kept: [],
  misplaced: undefined,
  commits: undefined,
  commitDurations: undefined,
  closeDelays: undefined,
  lateness: undefined,
  changelogBytes: 0,
  liveBytes: 0,
  storesDropped: 0,
  restoreMs: 0,
  takeoverMs: 0,
};
