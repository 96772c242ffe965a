import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isInUse, noteUser } from './artifact-users.ts';

let artifacts: string;
let folder: string;
let users: string;
beforeEach(() => {
  artifacts = mkdtempSync(join(tmpdir(), 'artifact-users-'));
  [folder, users] = [join(artifacts, 'abc'), join(artifacts, 'users')];
  mkdirSync(folder);
});
afterEach(() => {
  rmSync(artifacts, { recursive: true });
});

test('a living process uses its folder, one that has gone does not', () => {
  noteUser(folder, process.pid);
  expect([isInUse(folder), isInUse(join(artifacts, 'def'))]).toEqual([true, false]);
  const [note] = readdirSync(users);
  const said = JSON.parse(readFileSync(join(users, note!), 'utf8')) as object;
  writeFileSync(join(users, note!), JSON.stringify({ ...said, startedAt: 'another time' }));
  expect([isInUse(folder), readdirSync(users)]).toEqual([false, []]);
});

test('one of another container, whose number means nothing here, counts as living for a day', () => {
  mkdirSync(users);
  const note = join(users, 'abc.1');
  writeFileSync(note, JSON.stringify({ pid: 1, startedAt: 'there', namespace: 'pid:[1]' }));
  expect(isInUse(folder)).toBe(true);
  const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1_000);
  utimesSync(note, yesterday, yesterday);
  expect([isInUse(folder), readdirSync(users)]).toEqual([false, []]);
});
