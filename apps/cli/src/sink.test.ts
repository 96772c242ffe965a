import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cli, type CliRun } from './cli.fixture.ts';
import { ExitCode } from './exit-code.ts';

const folder = mkdtempSync(join(tmpdir(), 'flatline-sink-'));
beforeAll(() => {
  const pipeline = { kind: 'session', timeoutMs: 1_000, input: { topic: 'in' } };
  const pipelines = [
    { ...pipeline, name: 'Late-visits', output: { topic: 'out' } },
    { ...pipeline, name: 'leaders', kind: 'lease', output: { topic: 'leases' } },
  ];
  const config = { application: 'shop', brokers: ['127.0.0.1:1'], pipelines };
  writeFileSync(join(folder, 'flatline.config.json'), JSON.stringify(config));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const sink = (...flags: string[]): Promise<CliRun> => cli(['sink', 'postgres', ...flags], { folder });

describe('flatline sink postgres', () => {
  test('--print-ddl needs neither broker nor database, and names the table by the pipeline', async () => {
    const { exitCode, stdout } = await sink('--print-ddl', '--pipeline', 'Late-visits');
    expect(exitCode).toBe(ExitCode.ok);
    expect(stdout).toContain('CREATE TABLE IF NOT EXISTS "public"."late_visits" (\n  incarnation text NOT NULL,');
    expect(stdout).toContain('CREATE VIEW "public"."late_visits_final" AS');
    const lease = await sink('--print-ddl', '--pipeline', 'leaders', '--table', 'reports.leaders');
    expect(lease.stdout).toContain('CREATE SCHEMA IF NOT EXISTS "reports";');
    expect(lease.stdout).toContain('PRIMARY KEY (output_partition, output_offset)');
  });

  test.each([
    [['--pipeline', 'leaders'], 'which database? Give --database postgresql://'],
    [['--pipeline', 'leaders', '--database', 'mysql://host/x'], '--database: it must begin with postgresql://'],
    [[], 'which pipeline? Give --pipeline: the configuration has Late-visits, leaders'],
    [['--table', 'a"b'], "option '--table <name>' argument 'a\"b' is invalid. It must be up to 45 of a-z, 0-9 and _"],
    [['--batch-bytes', '0'], 'It must be a whole number from 1 to 268435456.'],
  ])('[I4] %j is refused with what to give', async (flags, message) => {
    const { exitCode, stderr } = await sink(...flags);
    expect(exitCode).toBe(ExitCode.usage);
    expect(stderr).toContain(message);
  });
});
