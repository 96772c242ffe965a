// `dead-letters` on a real broker: `KAFKA_BROKERS`, or one that the test run starts. The letters are written as a processor would.
import { BatchProducer, openCluster } from '@flatline/kafka';
import { deadLetterHeaders } from '@flatline/ports';
import { systemClock as clock } from '@flatline/system';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cli, type CliRun } from './cli.fixture.ts';
import { ExitCode } from './exit-code.ts';

const brokers = process.env['KAFKA_BROKERS'] ?? '';
const connection = openCluster({ brokers: brokers.split(','), clientId: 'flatline-cli-test', clock });
const folder = mkdtempSync(join(tmpdir(), 'flatline-cli-'));
const application = `d${randomUUID().slice(0, 8)}`;

const run = (line: string): Promise<CliRun> => cli(line.split(' '), { env: { KAFKA_BROKERS: brokers }, folder });

beforeAll(async () => {
  configure(['visits', 'carts'], 'flatline.config.json');
  expect((await run('topics create --partitions 1')).exitCode).toBe(ExitCode.ok);
  await write('visits', ['null-key', 'null-key', 'invalid-json']);
  await write('carts', ['key-too-long']);
});
afterAll(() => {
  connection.close();
  rmSync(folder, { recursive: true });
});

function configure(names: readonly string[], file: string): void {
  const pipelines = names.map((name) => ({
    name,
    kind: 'session',
    timeoutMs: 1000,
    input: { topic: `${application}.${name}.in` },
    output: { topic: `${application}.${name}.out` },
  }));
  const content = { application, brokers: brokers.split(','), pipelines };
  writeFileSync(join(folder, file), JSON.stringify(content));
}

async function write(pipeline: string, reasons: readonly string[]): Promise<void> {
  const topic = `${application}.${pipeline}.dead-letters`;
  const producer = await BatchProducer.open({ clock, connection, topic });
  const place = { topic: `${application}.${pipeline}.in`, partition: 0, timestamp: 5 };
  await producer.send(
    reasons.map((reason, offset) => ({
      key: Buffer.from('anna'),
      value: Buffer.from(reason),
      partition: 0,
      headers: deadLetterHeaders({ ...place, reason, detail: 'so', offset }),
    })),
  );
  await producer.close();
}

describe('dead-letters list', () => {
  test('[I1] lists those of all pipelines, each with its name', async () => {
    const all = await run('dead-letters list --json');
    expect(all).toMatchObject({ exitCode: ExitCode.ok, stderr: '' });
    expect(all.json()).toMatchObject([
      { kind: 'letter', pipeline: 'visits', reason: 'null-key' },
      { kind: 'letter', pipeline: 'visits', reason: 'null-key' },
      { kind: 'letter', pipeline: 'visits', reason: 'invalid-json' },
      { kind: 'summary', pipeline: 'visits', total: 3 },
      { kind: 'letter', pipeline: 'carts', reason: 'key-too-long' },
      { kind: 'summary', pipeline: 'carts', total: 1 },
    ]);
    expect((await run('dead-letters list')).stdout).toMatch(/^0\/0 +carts .* key-too-long/m);
    const one = await run('dead-letters list --pipeline carts --json');
    expect(one.json()).toMatchObject([{ pipeline: 'carts' }, { kind: 'summary' }]);
  });

  test('[I1] says how many it leaves out, and how to see them', async () => {
    const { stdout } = await run('dead-letters list --limit 2');
    expect(stdout).toMatch(/visits\.dead-letters: 3 dead letters \(.*\), 1 older not listed: --limit 3 lists all$/m);
    expect(stdout).toMatch(/carts\.dead-letters: 1 dead letter \(1 key-too-long\)$/m);
    const from = await run('dead-letters list --pipeline visits --partition 0 --from 0 --limit 1');
    expect(from.stdout).toMatch(/, 2 behind them not listed: --limit 3 lists all$/m);
    expect((await run('dead-letters list --limit 2 --json')).json()[2]).toMatchObject({ listed: 2, leftOut: 1 });
  });

  test('[I1] lists the others where a topic is not there, says which one, and exits with 2', async () => {
    configure(['added', 'visits', 'carts'], 'added.config.json');
    const all = await run('dead-letters list --json --config added.config.json');
    const missing = `${application}.added.dead-letters does not exist: create it (`;
    expect(all).toMatchObject({ exitCode: ExitCode.usage, stderr: expect.stringContaining(missing) });
    expect(all.json().filter((line) => (line as { kind: string }).kind === 'summary')).toMatchObject([
      { pipeline: 'visits', total: 3 },
      { pipeline: 'carts', total: 1 },
    ]);
    const one = await run('dead-letters list --pipeline added --config added.config.json');
    expect(one).toMatchObject({ exitCode: ExitCode.usage, stdout: '', stderr: expect.stringContaining(missing) });
  });

  test('[I1] a reason that there is not, and no letter has, is an error; one that none has is said', async () => {
    const misspelt = await run('dead-letters list --reason nul-key');
    expect(misspelt).toMatchObject({ exitCode: ExitCode.usage, stdout: expect.not.stringContaining('anna') });
    expect(misspelt.stderr).toContain('--reason nul-key: there is no such reason; did you mean null-key?');
    const unseen = await run('dead-letters list --reason too-many-schedules');
    expect(unseen).toMatchObject({ exitCode: ExitCode.ok, stderr: expect.stringContaining('too-many-schedules') });
    // One of another version.
    await write('visits', ['of-another-version']);
    const other = await run('dead-letters list --pipeline visits --reason of-another-version');
    expect(other).toMatchObject({ exitCode: ExitCode.ok, stdout: expect.stringContaining('of-another-version') });
  });

  test('a partition is one of a pipeline, which has to be named', async () => {
    const unnamed = await run('dead-letters list --partition 0');
    expect(unnamed).toMatchObject({ exitCode: ExitCode.usage, stderr: expect.stringContaining('Give --pipeline') });
  });
});

describe('dead-letters replay', () => {
  test.each(['', ' --dry-run'])(
    'a reason that no dead letter has is an error that names those there are%s',
    async (flag) => {
      const misspelt = await run(`dead-letters replay --pipeline visits --reason nul-key${flag}`);
      expect(misspelt).toMatchObject({ exitCode: ExitCode.usage, stdout: '' });
      expect(misspelt.stderr).toMatch(/no dead letter of \S+ has the reason nul-key; there are invalid-json, null-key/);
    },
  );
});
