import { afterEach, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forked } from './forked.ts';

const folder = mkdtempSync(join(tmpdir(), 'flatline-forked-'));

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('a process that ends early says how, and what it said last; being told something later is no error', async () => {
  const script = join(folder, 'script.cjs');
  writeFileSync(script, "process.stderr.write('gone' + ' '.repeat(2000) + 'out of luck'); process.exitCode = 3;");
  const { child, ended, exit, tell } = forked(script, ['a'], [], 'instance a');
  tell('hello');
  await expect(ended).rejects.toThrow(/^instance a ended with code 3; it said last:\nout of luck$/);
  await exit;
  expect(child.connected).toBe(false);
  tell('anyone there?');
  await new Promise((resolve) => setImmediate(resolve));
});
