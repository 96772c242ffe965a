// The examples of docs/examples that are one command: each ends by itself, and says what its page has.
import { expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const examples = join(root, 'docs/examples');
const names = readdirSync(examples).filter((name) => existsSync(join(examples, name, 'flatline.config.json')));
const run = promisify(execFile);

test.each(names)(
  '%s says what its page has',
  async (name) => {
    const page = readFileSync(join(examples, name, 'README.md'), 'utf8');
    const [, shown = ''] = /```text\n([^]*?)\n```/.exec(page)!;
    expect(page).toContain(`npm run example -- ${name}\n`);
    const { stdout } = await run(process.execPath, ['--conditions=@flatline/source', 'scripts/example.ts', name], {
      cwd: root,
    });
    // Keys of several partitions come in no order between them.
    expect(stdout.trimEnd().split('\n').sort()).toEqual(shown.split('\n').sort());
  },
  120_000,
);

test('an example that is none is refused with the names of those there are', async () => {
  const refused = run(process.execPath, ['--conditions=@flatline/source', 'scripts/example.ts', 'absence'], {
    cwd: root,
  });
  await expect(refused).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining(names.join(', ')) });
});
