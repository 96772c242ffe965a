// The commands together on a real broker: processor, fleet, tail; and the demo, which is all of them.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cli, type CliRun } from './cli.fixture.ts';
import { ExitCode } from './exit-code.ts';
import { type LedgerEntry, checkFleet, type ObservedOutput } from '@flatline/fleet';

const brokers = process.env['KAFKA_BROKERS'] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'flatline-cli-run-'));
const application = `run${randomUUID().slice(0, 8)}`;
/** Well above what a busy machine holds a fleet up for: a session must not fall silent by that. */
const TIMEOUT_MS = 3000;
const run = (line: string, stop?: AbortSignal): Promise<CliRun> =>
  cli(line.split(' '), { env: { KAFKA_BROKERS: brokers }, folder, ...(stop && { stop }) });

beforeAll(() => {
  const pipeline = {
    name: 'visits',
    kind: 'session',
    timeoutMs: TIMEOUT_MS,
    input: { topic: `${application}.in` },
    output: { topic: `${application}.out` },
  };
  // Port 0: any that is free.
  const surroundings = { stateDir: './state', http: { port: 0 } };
  const content = { application, brokers: brokers.split(','), ...surroundings, pipelines: [pipeline] };
  writeFileSync(join(folder, 'flatline.config.json'), JSON.stringify(content));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function runFleet(): Promise<LedgerEntry[]> {
  const file = join(folder, 'ledger.jsonl');
  const fleet = `simulate --topic ${application}.in --sessions 30 --rate 60 --heartbeat-ms 250 --beats 4 --format json`;
  const done = await run(`${fleet} --duplicates 0.1 --reorder 0.1 --lose 0.05 --seed 3 --ledger ${file}`);
  expect(done.exitCode).toBe(ExitCode.ok);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as LedgerEntry);
}

describe('the commands together', () => {
  test('[S4] run, simulate, tail: every session of the ledger closes exactly once; stopped, the run drains and ends with 0', async () => {
    expect((await run('topics create --partitions 2')).exitCode).toBe(ExitCode.ok);
    const stop = new AbortController();
    const running = run('run', stop.signal);
    try {
      const tailing = run('sessions tail --from-beginning --tombstones --json --limit 60');
      const ledger = await runFleet();
      const outputs = (await tailing).json() as ObservedOutput[];
      expect(checkFleet(ledger, outputs, TIMEOUT_MS)).toMatchObject({ sessions: 30, violations: 0, open: 0 });
      const second = await run('run');
      expect(second.exitCode).toBe(ExitCode.stateInUse);
      expect(second.stderr).toContain(join(folder, 'state'));
    } finally {
      stop.abort();
    }
    expect(await running).toMatchObject({ exitCode: ExitCode.ok, stderr: expect.stringContaining('Drained') });
  }, 60_000);

  test('[S4] the demo ends with every simulated session closed exactly once, and leaves nothing behind', async () => {
    const done = await run('demo --sessions 60 --rate 300 --exit-when-done --json --seed 5');
    expect(done).toMatchObject({ exitCode: ExitCode.ok });
    expect(done.json().at(-1)).toMatchObject({ kind: 'verdict', ok: true, sessions: 60, open: 0, violations: 0 });
  }, 60_000);
});
