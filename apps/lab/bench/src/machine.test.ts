import { afterEach, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPORTS, workTreeOf } from './machine.ts';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'flatline-tree-'));
  folders.push(folder);
  return folder;
}

/** A repository of one commit, with a source and a published page. */
function repository(): string {
  const folder = emptyFolder();
  mkdirSync(join(folder, REPORTS), { recursive: true });
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src', 'a.ts'), '1');
  writeFileSync(join(folder, REPORTS, 'page.md'), '1');
  const git = (...args: readonly string[]): void => void execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
  git('init');
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgsign=false', 'commit', '-m', 'one');
  return folder;
}

describe('what is measured', () => {
  test('is a commit, whatever pages were published from it since', () => {
    const folder = repository();
    writeFileSync(join(folder, REPORTS, 'page.md'), '2');
    const { commit, isDirty } = workTreeOf(join(folder, 'src'));
    expect(commit).toMatch(/^[0-9a-f]{7,}$/);
    expect(isDirty).toBe(false);
  });

  test('is none where a file was changed or added since', () => {
    const folder = repository();
    writeFileSync(join(folder, 'src', 'a.ts'), '2');
    expect(workTreeOf(join(folder, 'src')).isDirty).toBe(true);
    const other = repository();
    writeFileSync(join(other, 'b.ts'), '1');
    expect(workTreeOf(join(other, 'src')).isDirty).toBe(true);
  });

  test('is not known of a copy without its history', () => {
    expect(workTreeOf(emptyFolder())).toEqual({ commit: 'unknown', isDirty: false });
  });
});
