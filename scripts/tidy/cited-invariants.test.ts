import { expect, test } from '@jest/globals';
import { citedInvariants } from './cited-invariants.ts';
import { workspaceWith } from './workspace.fixture.ts';

/** Computed, or this file would cite them. */
const [THERE, GONE] = [1, 3].map((number) => `RU${number}`) as [string, string];

const found = (text: string): string[] =>
  citedInvariants(workspaceWith({ 'libs/task/src/spare.ts': text }).tree).map(({ at, message }) => `${at} ${message}`);

test('an invariant that a module defines may be cited anywhere', () => {
  expect(found(`// By ${THERE}.\n/** As ${THERE} says. */\ntest('${THERE}: it runs', () => undefined);\n`)).toEqual([]);
});

test.each([
  ['a comment of a line', `// It waits (${GONE}).`, 1],
  ['a comment behind code', `const a = 1; // ${GONE}`, 1],
  ['a comment of several lines', `/**\n * As ${GONE} says.\n */`, 2],
  ['a title', `test('${GONE}: it waits', () => undefined);`, 1],
])('one that no module defines is found in %s', (_where, text, line) => {
  const message = `${GONE} is the id of no invariant: cite the one it means`;
  expect(found(text)).toEqual([`libs/task/src/spare.ts:${line} ${message}`]);
});

test('what only looks like a citation is left alone: a string, a longer word', () => {
  expect(found(`const a = '${GONE}';\n// XX${GONE}, ${GONE}44, ${GONE}-like\n`)).toEqual([]);
});
