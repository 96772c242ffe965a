import { afterAll, describe, expect, test } from '@jest/globals';
import { Corrupt, Fatal, Fenced, Misconfigured, PartitionStopped, Retriable, StateInUse } from '@flatline/base';
import { ConfigurationError } from '@flatline/config';
import { REACH_COUNTERS } from '@flatline/oracle/reach';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHECKOUT_COMMANDS } from './absent-commands.ts';
import { cli, type CliRun } from './cli.fixture.ts';
import { ExitCode, exitCodeMeanings } from './exit-code.ts';
import { CommandFailure, failureOf } from './failure.ts';
import { COMMAND_NAMES } from './terminal/console.ts';

const folder = mkdtempSync(join(tmpdir(), 'flatline-cli-'));
mkdirSync(join(folder, 'empty'));
writeFileSync(join(folder, 'events.jsonl'), '{"id":"a","at":1}\n');
const badConfiguration = { application: 'a b', brokers: [], pipelines: [{ kind: 'x' }] };
writeFileSync(join(folder, 'bad.json'), JSON.stringify(badConfiguration));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A closed port: the refusal comes at once. */
const unreachable = { KAFKA_BROKERS: '127.0.0.1:1' };
const run = (line: string, env: Record<string, string> = unreachable): Promise<CliRun> =>
  cli(line.split(' '), { env, folder: join(folder, 'empty') });
const importing = (flags: string): string => `import ${join(folder, 'events.jsonl')} --topic t ${flags}`;

describe('wrong flags', () => {
  test.each([
    ['brokr', 'Did you mean broker'],
    ['demo --sesions 5', 'Did you mean --sessions'],
    ['demo --sessions 0', '--sessions'],
    ['demo --sessions 1.5', '--sessions'],
    ['demo --sessions 5x', '--sessions'],
    ['demo --for 0', '--for'],
    ['demo --exit-when-done', 'needs an end'],
    ['demo extra', 'too many arguments'],
    ['broker start --nodes 2', 'It must be 1 or 3'],
    ['broker start --port 70000', '1 to 65535'],
    ['broker', 'broker'],
    ['topics create --partitions 0', '--partitions'],
    ['simulate --sessions 5 --rate 10', '--topic'],
    ['simulate --topic t --sessions 5', '--rate'],
    ['simulate --topic t --sessions 5 --rate -1', '--rate'],
    ['simulate --topic t --sessions 5 --rate 10 --duplicates 2', 'from 0 to 1'],
    ['simulate --topic a/b --sessions 5 --rate 10', 'topic name'],
    ['simulate --topic t --sessions 5 --rate 1 --heartbeat-ms 100', 'raise --rate to 10'],
    ['simulate --topic t --sessions 5 --rate 10 --format xml', 'Allowed choices are bare, json, avro'],
    ['import --topic t --format apache', "missing required argument 'file'"],
    ['import f --topic t', '--format'],
    ['sessions tail --limit 0', '--limit'],
    ['sessions tail --since yesterday', '2026-11-22T12:00:00Z, or like 30m'],
    ['sessions tail --format xml', 'Allowed choices are auto, json, avro'],
    ['sessions tail', 'which topic'],
    ['dead-letters', 'dead-letters'],
    ['dead-letters list --from 5', 'give --partition too'],
    ['dead-letters show 5', 'PARTITION/OFFSET'],
    ['dead-letters replay', 'or --reason, or --all'],
    ['dead-letters replay 0/1 --all', 'or --reason, or --all'],
    ['run --http-port x', '--http-port'],
    ['verify --reach kills=3', 'counters: opened'],
    ['verify --reach claims', 'claims=3'],
    ['verify --since yesterday', 'a time with its zone'],
  ])('%s: exit code 2 and what to do about it', async (line, hint) => {
    const { exitCode, stdout, stderr } = await run(line);
    expect({ exitCode, stdout }).toEqual({ exitCode: ExitCode.usage, stdout: '' });
    expect(stderr).toContain(hint);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test.each([
    [importing('--format jsonl'), '--key and --time'],
    [importing('--format csv --key id'), '--key and --time'],
    [importing('--format apache --key id'), 'do not go with --format apache'],
    ['import /nowhere/at-all --topic t --format apache', 'does not exist'],
    ['import / --topic t --format apache', 'is not a file'],
  ])('%s: exit code 2', async (line, hint) => {
    const { exitCode, stderr } = await run(line);
    expect(exitCode).toBe(ExitCode.usage);
    expect(stderr).toContain(hint);
  });

  test('with --json the failure is JSON too', async () => {
    const { exitCode, stdout, stderr } = await run('broker start --nodes 2 --json');
    expect({ exitCode, stdout }).toEqual({ exitCode: ExitCode.usage, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({ error: { exitCode: 2, message: expect.stringContaining('1 or 3') } });
  });
});

describe('configuration', () => {
  test.each([['topics check'], ['topics create'], ['run'], ['verify']])(
    '[I4] %s without one: exit code 2',
    async (line) => {
      const { exitCode, stderr } = await run(line);
      expect(exitCode).toBe(ExitCode.usage);
      expect(stderr).toContain('flatline.config');
    },
  );

  test('[I4] everything wrong with it is told at once, with setting and value', async () => {
    const { exitCode, stderr } = await run(`topics check --config ${join(folder, 'bad.json')}`, {});
    expect(exitCode).toBe(ExitCode.usage);
    for (const setting of ['application', 'brokers', 'pipelines[0].kind', 'pipelines[0].input'])
      expect(stderr).toContain(setting);
  });
});

test('[I4] sessions tail says which pipelines there are where none is of sessions: exit code 2', async () => {
  const leaders = {
    name: 'leaders',
    kind: 'lease',
    timeoutMs: '10s',
    input: { topic: 'asks' },
    output: { topic: 'leaders.out' },
  };
  const file = join(folder, 'leases.json');
  writeFileSync(file, JSON.stringify({ application: 'shop', brokers: ['127.0.0.1:1'], pipelines: [leaders] }));
  const { exitCode, stderr } = await run(`sessions tail --config ${file}`);
  expect(exitCode).toBe(ExitCode.usage);
  expect(stderr).toContain('the configuration has no pipeline of kind "session", only leaders (lease)');
  expect((await run(`sessions tail --config ${file} --pipeline leaders`)).stderr).toContain('it is of kind "lease"');
});

test.each([
  ['status', ExitCode.unreachable],
  ['stop', ExitCode.ok],
])('broker %s says which data directory it looked at, and how to name another', async (verb, exitCode) => {
  const done = await run(`broker ${verb} --data ${folder}`);
  expect(done.exitCode).toBe(exitCode);
  expect(done.stdout).toMatch(new RegExp(`No broker (is|was) running in ${folder}\\..*--data`, 's'));
});

describe('no broker answers', () => {
  test.each([
    ['simulate --topic t --sessions 1 --rate 1'],
    ['sessions tail --topic t'],
    ['demo --sessions 1 --exit-when-done'],
    ['try --sessions 1 --exit-when-done'],
    [importing('--format apache')],
  ])('%s: exit code 3, naming the address', async (line) => {
    const { exitCode, stderr } = await run(line);
    expect(exitCode).toBe(ExitCode.unreachable);
    expect(stderr).toContain('127.0.0.1:1');
  });
});

describe('help', () => {
  test('every command has examples', async () => {
    const lines = [
      'demo',
      'try',
      'broker',
      'topics create',
      'topics check',
      'run',
      'import',
      'simulate',
      'sessions tail',
      'verify',
      'doctor',
      'status',
      'top',
      'reset',
      'config check',
      'config schema',
      'partitions list',
      'partitions restart',
    ];
    for (const line of lines) {
      const { exitCode, stdout } = await run(`${line} --help`);
      expect(exitCode).toBe(ExitCode.ok);
      expect(stdout).toContain('Examples:');
      expect(stdout).toContain(`$ flatline ${line}`);
    }
  });

  test('[V12] verify lists each counter that --reach takes', async () => {
    const { stdout } = await run('verify --help');
    const [, listed = ''] = /Counters for --reach:\n([^]*?)\n\n/.exec(stdout) ?? [];
    expect(listed.trim().split(/,\s+/)).toEqual(REACH_COUNTERS);
    expect(REACH_COUNTERS).toContain('recordsBeforeOrigin');
  });

  test('--no-color is taken in any place', async () => {
    for (const line of ['--no-color demo --help', 'demo --help --no-color'])
      expect((await run(line)).exitCode).toBe(ExitCode.ok);
    expect((await run('--help')).stdout).toContain('FORCE_COLOR');
  });

  test('the exit codes are documented, each with its number', async () => {
    const { exitCode, stdout } = await run('--help');
    expect(exitCode).toBe(ExitCode.ok);
    for (const [code, meaning] of exitCodeMeanings) expect(stdout).toContain(`${code}  ${meaning}`);
    expect([...exitCodeMeanings.keys()]).toEqual(Object.values(ExitCode));
    const page = readFileSync(new URL('../../../docs/OPERATIONS.md', import.meta.url), 'utf8');
    const codes = [...page.matchAll(/^\| (\d+) +\|/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual(Object.values(ExitCode));
  });
});

describe('the package', () => {
  const packaged = (line: string): Promise<CliRun> =>
    cli(line.split(' '), { folder: join(folder, 'empty'), packaged: true });

  test('has none of the commands of a checkout, and says where they are', async () => {
    const lists = await Promise.all([packaged('--help'), run('--help')]);
    const named = (help: string): string[] => [...help.matchAll(/^ {2}([a-z][\w-]+) /gm)].map(([, name]) => name!);
    const [own, all] = lists.map(({ stdout }) => named(stdout));
    const [, ofCheckout] = /^Commands of a checkout:\n((?: .*\n)+)/m.exec(lists[1].stdout) ?? [];
    expect(named(ofCheckout ?? '').toSorted()).toEqual(CHECKOUT_COMMANDS.toSorted());
    expect(all!.filter((name) => !COMMAND_NAMES.split(' ').includes(name))).toEqual([]);
    expect(all!.filter((name) => !own!.includes(name)).toSorted()).toEqual(CHECKOUT_COMMANDS.toSorted());
    for (const name of CHECKOUT_COMMANDS) {
      const { exitCode, stderr } = await packaged(`${name} start --sessions 5`);
      expect(exitCode).toBe(ExitCode.usage);
      expect(stderr).toContain(`flatline ${name} is part of a checkout, not of the package`);
    }
  });

  test('names the command that starts a broker where none is named', async () => {
    const { exitCode, stderr } = await packaged('sessions tail --topic t');
    expect({ exitCode, stderr }).toEqual({
      exitCode: ExitCode.usage,
      stderr:
        'flatline: no broker is named: give --brokers, set KAFKA_BROKERS, or start one with flatline broker start\n',
    });
    expect((await packaged('sessions tail --help')).stdout).toContain('broker start');
  });
});

describe('errors become exit codes', () => {
  test.each<[unknown, number]>([
    [new CommandFailure(ExitCode.failedCheck, 'x'), 1],
    [new ConfigurationError('x', []), 2],
    [new Misconfigured('x'), 2],
    [new Retriable('x'), 3],
    [new StateInUse('x'), 4],
    [new Fatal('x'), 5],
    [new PartitionStopped('x'), 5],
    [new Fenced('x'), 5],
    [new Corrupt('x'), 5],
    [new TypeError('x'), 70],
    ['a text', 70],
  ])('%p', (error, exitCode) => {
    const failure = failureOf(error);
    expect(failure.exitCode).toBe(exitCode);
    // A stack is for defects; there it has to be.
    expect(failure.stack !== undefined).toBe(error instanceof TypeError);
  });
});

const main = fileURLToPath(new URL('./main.ts', import.meta.url));

test('the process ends with the code', () => {
  const done = spawnSync(process.execPath, ['--conditions=@flatline/source', main, 'nonsense'], { encoding: 'utf8' });
  expect({ status: done.status, stdout: done.stdout }).toEqual({ status: ExitCode.usage, stdout: '' });
  expect(done.stderr).toContain("unknown command 'nonsense'");
});

test('a standard error that is gone, as that of a closed terminal, is no defect', async () => {
  const args = ['--conditions=@flatline/source', main, 'nonsense'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  child.stderr.destroy();
  expect(await once(child, 'exit')).toEqual([ExitCode.usage, null]);
});
