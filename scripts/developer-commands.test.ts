import { describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = (path: string, ...args: readonly string[]) =>
  spawnSync(process.execPath, ['--conditions=@flatline/source', path, ...args], { cwd: root, encoding: 'utf8' });

describe.each([
  ['worlds', 'apps/lab/worlds/src/main.ts', [], '--seeds'],
  ['fuzz', 'scripts/fuzz.ts', [], '--cases'],
  ['chaos', 'apps/lab/chaos/src/main.ts', ['--scenario', 'F1'], '--trials'],
])('npm run %s', (name, path, needed, flag) => {
  test('--help is a page with examples', () => {
    const { status, stdout, stderr } = run(path, '--help');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain(`$ npm run ${name} --`);
    expect(stdout).toContain('2: wrong flags');
  });

  test('wrong flags are named, with what to do, and end with 2', () => {
    for (const args of [['--nonsense'], [flag, 'many']]) {
      const { status, stdout, stderr } = run(path, ...needed, ...args);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toContain(args[0]);
      expect(stderr).toContain('--help');
      expect(stderr).not.toMatch(/\n\s+at /);
    }
  });
});
