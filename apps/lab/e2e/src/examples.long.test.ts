// The examples of docs/examples that are one command: each ends by itself, and says what its page has.
import { expect, test } from '@jest/globals';
import { findPostgresql } from '@flatline/dev-broker/postgresql';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const examples = join(root, 'docs/examples');
const names = readdirSync(examples).filter((name) => existsSync(join(examples, name, 'flatline.config.json')));
const isHere = findPostgresql() !== undefined;
const wanting = names.filter((name) => !isHere && existsSync(join(examples, name, 'tables.sql')));
const run = promisify(execFile);

test.each(names.filter((name) => !wanting.includes(name)))(
  '%s says what its page has',
  async (name) => {
    const page = readFileSync(join(examples, name, 'README.md'), 'utf8');
    const [, shown = ''] = /```text\n([^]*?)\n```/.exec(page)!;
    expect(page).toContain(`npm run example -- ${name}\n`);
    const { stdout } = await example(name);
    // Keys of several partitions come in no order between them.
    expect(stdout.trimEnd().split('\n').sort()).toEqual(shown.split('\n').sort());
  },
  120_000,
);

test('an example that is none is refused with the names of those there are', async () => {
  const stderr: unknown = expect.stringContaining(names.join(', '));
  await expect(example('absence')).rejects.toMatchObject({ code: 2, stderr });
});

for (const name of wanting)
  test(`NOT RUN, for want of PostgreSQL, which it says: ${name}`, async () => {
    const stderr: unknown = expect.stringContaining('apt install postgresql');
    await expect(example(name)).rejects.toMatchObject({ code: 1, stderr });
  });

function example(name: string): Promise<{ readonly stdout: string }> {
  return run(process.execPath, ['--conditions=@flatline/source', 'scripts/example.ts', name], { cwd: root });
}
