import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { SEED_THAT_CAUGHT } from './caught-by.ts';
import { MUTANTS } from './index.ts';

const ROOT = new URL('../../../../../', import.meta.url);

test.each(MUTANTS.map((mutant): [string, (typeof MUTANTS)[number]] => [mutant.name, mutant]))(
  'the text that the mutant «%s» changes stands once in its source',
  (_name, { file, from, to }) => {
    const pieces = readFileSync(new URL(file, ROOT), 'utf8').split(from);
    expect(pieces.length - 1).toBe(1);
    expect(to).not.toBe(from);
  },
);

test('each mutant has a name of its own', () => {
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
});

test('the record of seeds that caught mutants names no mutant that is gone', () => {
  const names = new Set(MUTANTS.map(({ name }) => name));
  expect([...SEED_THAT_CAUGHT.keys()].filter((name) => !names.has(name))).toEqual([]);
});

/** Modules that check their numbered invariants, by the letters of those. */
const INSPECTED = {
  Changelog: 'CL',
  Checkpoints: 'CK',
  EntryTable: 'ET',
  PageArena: 'PG',
  LiveEntries: 'LE',
  'the wheel': 'WH',
};

test.each(Object.entries(INSPECTED))('three faults at least die by an invariant of %s', (_module, letters) => {
  const named = MUTANTS.flatMap(({ invariant }) => invariant ?? []).filter(
    (each) => each.replace(/\d+$/, '') === letters,
  );
  expect(named.length).toBeGreaterThanOrEqual(3);
});
