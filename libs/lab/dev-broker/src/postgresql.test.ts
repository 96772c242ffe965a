import { afterEach, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostgresql } from './postgresql.ts';

const root = mkdtempSync(join(tmpdir(), 'flatline-programs-'));
afterEach(() => {
  rmSync(root, { recursive: true });
});

function folderOf(name: string, programs: readonly string[]): string {
  mkdirSync(join(root, name));
  for (const program of programs) writeFileSync(join(root, name, program), '');
  return join(root, name);
}

test('PostgreSQL is where server and client are, not where a client alone is', () => {
  const client = folderOf('client', ['psql']);
  const whole = folderOf('whole', ['initdb', 'postgres', 'psql']);
  expect(findPostgresql([join(root, 'none'), client, whole])).toBe(whole);
  expect(findPostgresql([client])).toBeUndefined();
});
