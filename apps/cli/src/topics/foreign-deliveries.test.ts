// Two applications with a pipeline of one name, on a real broker: `KAFKA_BROKERS`, or one that the test run starts.
import { afterAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cli, type CliRun } from '../cli.fixture.ts';
import { ExitCode } from '../exit-code.ts';

const KAFKA_BROKERS = process.env['KAFKA_BROKERS'] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'flatline-names-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const name = `w${randomUUID().slice(0, 8)}`;

function run(application: string, ...args: readonly string[]): Promise<CliRun> {
  const file = `${application}.json`;
  const input = { topic: `${application}.in` };
  const output = { topic: `${application}.out` };
  const pipelines = [{ name, kind: 'session', timeoutMs: 1_000, input, output }];
  const notifier = { endpoints: [{ name: 'local', command: ['cat'] }] };
  const config = { application, brokers: KAFKA_BROKERS.split(','), http: { port: 0 }, notifier, pipelines };
  writeFileSync(join(folder, file), JSON.stringify(config));
  return cli([...args, '--config', file], { env: { KAFKA_BROKERS }, folder });
}

test('[N3][I4] topics create, topics check and run refuse a pipeline with endpoints whose name another application has', async () => {
  const [one, other] = [`${name}-hooks`, `${name}-hooksb`];
  const create = ['topics', 'create', '--partitions', '2'];
  expect((await run(one, ...create)).exitCode).toBe(ExitCode.ok);
  const problem = `${name}.deliveries: belongs to application ${one}, and ${other} has a pipeline of the same name`;
  for (const [args, exitCode] of [
    [create, ExitCode.usage],
    [['topics', 'check'], ExitCode.failedCheck],
    [['run'], ExitCode.usage],
  ] as const) {
    const ran = await run(other, ...args);
    expect([args, ran.exitCode]).toEqual([args, exitCode]);
    expect(ran.stdout + ran.stderr).toContain(`${problem}\n    remedy: give this pipeline another name`);
  }
  expect((await run(one, 'topics', 'check')).exitCode).toBe(ExitCode.ok);
}, 30_000);
