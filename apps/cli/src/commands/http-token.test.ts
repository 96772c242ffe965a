import { accessTokenHash, isAccessToken } from '@flatline/system';
import { afterAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cli } from '../cli.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'flatline-token-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const run = (line: string): ReturnType<typeof cli> => cli(['http', 'token', ...line.split(' ')], { folder });
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

describe('[H3] flatline http token', () => {
  test('[H3] shows a token once, and its hash as the configuration takes it; no two are the same', async () => {
    const [first, second] = [await run('--name ops --role admin --json'), await run('--name ops --role admin --json')];
    const [{ token, hash, name, role }] = first.json() as [Record<string, string>];
    expect([name, role, isAccessToken(token!), accessTokenHash(token!)]).toEqual(['ops', 'admin', true, hash]);
    expect(second.stdout).not.toContain(token);
    const { stdout } = await run('--name ops --role read');
    expect(stdout).toMatch(
      /^token, shown this once: flt_[\w-]{43}\n.*\{"name":"ops","role":"read","hash":"sha256:[\w-]{43}"\}/,
    );
  });

  test('[H3] writes it for its owner alone, shows it nowhere then, and writes over none', async () => {
    const made = await run('--name p --role read --token-file p.token --hash-file p.hash');
    const token = read('p.token').trimEnd();
    expect(read('p.hash').trimEnd()).toBe(accessTokenHash(token));
    expect(statSync(join(folder, 'p.token')).mode & 0o777).toBe(0o600);
    expect(made.stdout + made.stderr).not.toContain(token);
    const again = await run('--name p --role read --token-file p.token --hash-file p.hash');
    expect(again).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--token-file') });
    expect((await run('--name p --role read --token-file p.token --hash-file p.hash --keep')).exitCode).toBe(0);
    expect(read('p.token').trimEnd()).toBe(token);
  });

  test.each([
    '--role read',
    '--name ops',
    '--name ops --role root',
    '--name a/b --role read',
    '--name a --role read --keep',
  ])('[I4] %s is refused', async (line) => {
    expect((await run(line)).exitCode).toBe(2);
  });
});
