import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
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
