import { afterAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cli, type CliRun } from './cli.fixture.ts';
import { ExitCode } from './exit-code.ts';

const folder = mkdtempSync(join(tmpdir(), 'flatline-config-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const run = (line: string, env = {}): Promise<CliRun> => cli(line.split(' '), { env, folder });

const YAML = `application: shop
brokers: ['kafka:9092']
pipelines:
  - { name: visits, kind: session, timeoutMs: 30m, input: { topic: in }, output: { topic: out } }
  - { name: jobs, kind: lease, timeoutMs: 10s, input: { topic: in }, output: { topic: leases } }
`;

describe('flatline config check', () => {
  test('reads a configuration as run would, without a broker, and says what it means and where it is from', async () => {
    writeFileSync(join(folder, 'flatline.config.yaml'), YAML);
    const { exitCode, stdout } = await run('config check');
    expect(exitCode).toBe(ExitCode.ok);
    expect(stdout).toContain('application shop, 2 pipelines');
    expect(stdout).toContain('visits: session, in → out');
    expect(stdout).toContain('an outage of the brokers: one of up to 1500000 ms ends no session');
    expect(stdout).toContain(`state directory ${join(folder, 'state')} (the default)`);
    const json = await run('config check --json', { KAFKA_BROKERS: 'other:9092' });
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: true,
      brokers: ['other:9092'],
      brokersFrom: 'KAFKA_BROKERS',
      pipelines: [
        { name: 'visits', topics: { changelog: 'shop.visits.changelog' }, outage: { doesHarm: false } },
        { name: 'jobs', kind: 'lease' },
      ],
    });
    expect(json.stderr).toContain('KAFKA_BROKERS stands over brokers of');
  });

  const withEndpoints = (...endpoints: readonly object[]): void => {
    writeFileSync(join(folder, 'hooks.yaml'), `${YAML}notifier: ${JSON.stringify({ endpoints })}\n`);
  };
  const hook = { name: 'local', url: 'http://127.0.0.1:8080/T0/secret', secrets: [{ env: 'HOOK' }] };
  const HOOK = `whsec_${'A'.repeat(43)}=`;

  test('[N5] refuses an endpoint that run would, in the same words', async () => {
    withEndpoints(hook);
    const { exitCode, stderr } = await run('config check --config hooks.yaml', { HOOK });
    expect(exitCode).toBe(ExitCode.usage);
    expect(stderr).toContain('notifier.endpoints: local: 127.0.0.1 is no public address: name the host');
  });

  test('[N3] names the endpoints, and none of the pipelines that keep their deliveries', async () => {
    withEndpoints({ ...hook, allow: ['127.0.0.1'] }, { name: 'try', command: ['cat', '-n'], pipelines: ['jobs'] });
    const { exitCode, stdout } = await run('config check --config hooks.yaml', { HOOK });
    expect(exitCode).toBe(ExitCode.ok);
    expect(stdout).toContain('application shop, 2 pipelines');
    expect(stdout).not.toContain('deliveries');
    expect(stdout).toContain('endpoint local: visits, jobs → http://127.0.0.1:8080\n');
    expect(stdout).toContain('endpoint try: jobs → the program cat');
  });

  test('[P3] names routes: what brings about a record, and where it goes', async () => {
    const routes = '[{ on: [TIMEOUT], to: reminders }, { on: [ENDED], to: reminders, value: null }, { to: seen }]';
    writeFileSync(join(folder, 'routes.yaml'), YAML.replace('topic: out }', `topic: out }, routes: ${routes}`));
    const { exitCode, stdout } = await run('config check --config routes.yaml');
    expect(exitCode).toBe(ExitCode.ok);
    expect(stdout).toContain('    routes: TIMEOUT → reminders; ENDED → reminders; any → seen\n');
    const json = await run('config check --config routes.yaml --json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      pipelines: [
        { routes: [{ on: ['TIMEOUT'], to: 'reminders' }, { on: ['ENDED'] }, { to: 'seen' }] },
        { name: 'jobs' },
      ],
    });
  });

  test('[I4] names a flag as it was typed, and a variable where it was set', async () => {
    writeFileSync(join(folder, 'flatline.config.yaml'), YAML);
    const words = ['--config', 'flatline.config.yaml', '--brokers', 'localhost'];
    const { exitCode, stderr } = await cli(['config', 'check', ...words], {
      folder,
      env: { FLATLINE_INSTANCE: 'a b' },
    });
    expect(exitCode).toBe(ExitCode.usage);
    expect(stderr).toContain('--brokers (brokers[0]) is "localhost": host:port');
    expect(stderr).toContain('FLATLINE_INSTANCE (instance) is "a b"');
    const started = await cli(['run', ...words, '--instance', 'a b', '--state-dir', ''], { folder });
    expect(started.stderr).toContain('--instance (instance) is "a b"');
  });

  test('[I4] ends with 2 and all that is wrong', async () => {
    writeFileSync(join(folder, 'wrong.yaml'), YAML.replace('30m', 'soon').replace('lease', 'leese'));
    const { exitCode, stderr } = await run('config check --config wrong.yaml');
    expect(exitCode).toBe(ExitCode.usage);
    expect(stderr).toContain('timeoutMs');
    expect(stderr).toContain('leese');
  });
});

test('flatline config schema prints the schema of the file', async () => {
  const { exitCode, stdout } = await run('config schema');
  expect(exitCode).toBe(ExitCode.ok);
  expect(JSON.parse(stdout)).toMatchObject({ required: ['application', 'brokers', 'pipelines'] });
});

describe('flatline completion', () => {
  const flatline = (...args: readonly string[]): string => {
    const main = new URL('main.ts', import.meta.url).pathname;
    return spawnSync(process.execPath, ['--conditions=@flatline/source', main, ...args], { encoding: 'utf8' }).stdout;
  };

  test.each(['bash', 'zsh', 'fish'])('prints a script for %s that asks the command', (shell) => {
    const script = flatline('completion', shell);
    expect(script).toContain('flatline complete');
    expect(JSON.parse(flatline('completion', shell, '--json'))).toEqual({ shell, script });
  });

  test.each([
    ['flatline sched', 'schedules'],
    ['flatline schedules add --del', '--delay'],
  ])('completes a line of a bash that has nothing but itself, sourced twice: %s', (line, completed) => {
    const words = line.split(' ');
    const main = new URL('main.ts', import.meta.url).pathname;
    writeFileSync(join(folder, 'script.bash'), flatline('completion', 'bash'));
    const source = `
      flatline() { '${process.execPath}' --conditions=@flatline/source '${main}' "$@"; }
      source script.bash
      source script.bash 2>&1
      COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}
      __flatline_complete 2> errors
      grep -v compopt errors
      echo "\${COMPREPLY[@]}"`;
    const { stdout } = spawnSync('bash', ['--norc', '--noprofile', '-c', source], { cwd: folder, encoding: 'utf8' });
    expect(stdout).toBe(`${completed}\n`);
  });

  test('suggests commands, what is below them, and flags', () => {
    expect(flatline('complete', '--', 'ver')).toMatch(/^verify\t/m);
    expect(flatline('complete', '--', 'topics', '')).toMatch(/^alter\t/m);
    expect(flatline('complete', '--', 'run', '--')).toMatch(/^--state-dir\t/m);
  });

  test.each(['list', 'replay'])('suggests the reasons of dead letters, and what they say: dead-letters %s', (act) => {
    const suggested = flatline('complete', '--', 'dead-letters', act, '--reason', 'too');
    expect(suggested).toMatch(/^too-many-schedules\t.*maxSchedulesPerKey/m);
  });
});
