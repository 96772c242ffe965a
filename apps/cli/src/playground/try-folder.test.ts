import { afterEach, expect, test } from '@jest/globals';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TryFolder } from './try-folder.ts';

const made: string[] = [];
function project(): string {
  const folder = mkdtempSync(join(tmpdir(), 'flatline-try-'));
  made.push(folder);
  return folder;
}
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
});

test('is made, ignores itself, and goes with all that was written', () => {
  const folder = project();
  const place = TryFolder.make(folder);
  expect(place.typed).toBe(join('.flatline', 'try'));
  expect(place.write('a.json', '{}')).toBe(join('.flatline', 'try', 'a.json'));
  mkdirSync(join(place.path, place.stateDir));
  expect(readFileSync(join(folder, '.flatline', '.gitignore'), 'utf8')).toBe('*\n');
  place.remove();
  place.remove();
  expect(existsSync(join(folder, '.flatline'))).toBe(false);
});

test('what a user has changed or added stays, and so does what was there', () => {
  const folder = project();
  mkdirSync(join(folder, '.flatline', 'shop'), { recursive: true });
  const place = TryFolder.make(folder);
  for (const name of ['changed', 'unchanged']) place.write(name, 'ours');
  writeFileSync(join(place.path, 'changed'), 'theirs');
  writeFileSync(join(place.path, 'added'), 'theirs');
  place.remove();
  const there = (name: string): boolean => existsSync(join(place.path, name));
  expect(['changed', 'added', 'unchanged'].map(there)).toEqual([true, true, false]);
  expect(existsSync(join(folder, '.flatline', 'shop'))).toBe(true);
});

test('what a user has changed stays where what ignores it was removed, too', () => {
  const folder = project();
  const place = TryFolder.make(folder);
  place.write('changed', 'ours');
  writeFileSync(join(place.path, 'changed'), 'theirs');
  rmSync(join(folder, '.flatline', '.gitignore'));
  place.remove();
  expect(readFileSync(join(place.path, 'changed'), 'utf8')).toBe('theirs');
});

test('a name that is taken at the last moment is passed over', () => {
  const folder = project();
  mkdirSync(join(folder, '.flatline'));
  // It looks free, as one does that another process makes just now.
  symlinkSync('nowhere', join(folder, '.flatline', 'try'));
  expect(TryFolder.make(folder).typed).toBe(join('.flatline', 'try-2'));
});

test('never writes where something is: another one is made beside, up to a bound, and no file is replaced', () => {
  const folder = project();
  const places = Array.from({ length: 20 }, () => TryFolder.make(folder));
  expect(places.map(({ typed }) => typed).slice(0, 3)).toEqual(
    ['try', 'try-2', 'try-3'].map((name) => join('.flatline', name)),
  );
  expect(() => TryFolder.make(folder)).toThrow(/20 of them already, up to .*try-20: remove/);
  places[0]!.write('a.json', '{}');
  expect(() => places[0]!.write('a.json', '{}')).toThrow('EEXIST');
});
