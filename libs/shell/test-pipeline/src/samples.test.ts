// The samples of docs/TESTING.md, run as their readers would: each is a file of its own.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PAGE = readFileSync(new URL('../../../../docs/TESTING.md', import.meta.url), 'utf8');
const SAMPLES = [...PAGE.matchAll(/^## (\w+)\n\n```js\n([^]*?)```/gm)].map(([, name = '', text = '']) => ({
  name,
  text,
}));
const OURS = new URL('index.ts', import.meta.url).href;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'flatline-samples-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('the page has a sample of each kind', () => {
  expect(SAMPLES.map(({ name }) => name)).toEqual(['Sessions', 'Leases', 'Debounce', 'Schedules']);
});

test.each(SAMPLES)('the sample of $name does what it says', ({ name, text }) => {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, text.replace("'flatline/testing'", `'${OURS}'`));
  const args = ['--conditions=@flatline/source', '--test-reporter=tap', file];
  // The runner of this test and that of the sample would take each other for their own.
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: undefined };
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  expect({ status, stdout, stderr }).toMatchObject({ status: 0, stdout: expect.stringMatching(/^# fail 0$/m) });
  expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBe(text.match(/^test\(/gm)!.length);
});
