// A defect put into the sources of a command, in a process of its own.
import { afterAll, describe, expect, test } from '@jest/globals';
import { editingArguments, type SourceEdit } from '@flatline/cluster/source-edits';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExitCode } from '../exit-code.ts';

const folder = mkdtempSync(join(tmpdir(), 'flatline-crash-'));
const stateDir = join(folder, 'state');
const pipeline = { name: 'visits', kind: 'session', timeoutMs: 9_000, input: { topic: 'i' }, output: { topic: 'o' } };
writeFileSync(
  join(folder, 'flatline.config.json'),
  JSON.stringify({ application: 'shop', brokers: ['127.0.0.1:1'], stateDir, pipelines: [pipeline] }),
);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

interface Ended {
  readonly status: number | null;
  readonly stderr: string;
}

/** `flatline run`, at whose connecting `statement` stands instead. */
function runWith(statement: string, ...flags: readonly string[]): Ended {
  const edit: SourceEdit = {
    file: 'apps/cli/src/commands/run-start.ts',
    from: 'const connection = await connect(kafkaOf(config, clock), stop);',
    to: `${statement} const connection = await connect(kafkaOf(config, clock), stop);`,
  };
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  const node = ['--conditions=@flatline/source', ...editingArguments([edit]), main];
  const { PATH } = process.env;
  const env = { ...(PATH !== undefined && { PATH }), NO_COLOR: '1' };
  return spawnSync(process.execPath, [...node, 'run', ...flags], { cwd: folder, env, encoding: 'utf8' });
}

describe('a defect', () => {
  test.each([
    ['is thrown in a command', "throw new TypeError('it is no function');"],
    ['is thrown where nothing catches it', "setTimeout(() => { throw new TypeError('it is no function'); });"],
    ['is a rejection that is not awaited', "void Promise.reject(new TypeError('it is no function'));"],
  ])('[I8] that %s: exit code 70, and a diagnosis in the state directory', (_, statement) => {
    // Uncaught errors come while the command waits.
    const { status, stderr } = runWith(`${statement} await new Promise(() => undefined);`);
    expect({ status, stderr }).toEqual({ status: ExitCode.internal, stderr: expect.stringContaining(stateDir) });
    const path = /\S+flatline-diagnosis-\S+\.json/.exec(stderr)![0];
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      command: ['run'],
      configuration: { application: 'shop' },
      error: {
        name: 'TypeError',
        message: 'it is no function',
        frames: expect.arrayContaining([expect.stringContaining('run-start.ts')]),
      },
    });
    rmSync(path);
  });

  test('[I8] with --json the file is named in the failure', () => {
    const { status, stderr } = runWith("throw new TypeError('it is no function');", '--json');
    expect(status).toBe(ExitCode.internal);
    const { error } = JSON.parse(stderr) as { error: { diagnosis: string } };
    expect(error).toMatchObject({ exitCode: ExitCode.internal, message: 'it is no function' });
    expect(readdirSync(stateDir).map((name) => join(stateDir, name))).toEqual([error.diagnosis]);
  });

  test('[I8] is not an unreachable broker: no diagnosis', () => {
    rmSync(stateDir, { recursive: true, force: true });
    const { status, stderr } = runWith('');
    expect(status).toBe(ExitCode.unreachable);
    expect(stderr).not.toContain('diagnosis');
    expect(readdirSync(folder)).toEqual(['flatline.config.json']);
  });
});
