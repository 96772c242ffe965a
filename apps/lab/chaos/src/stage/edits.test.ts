import { describe, expect, test } from '@jest/globals';
import { stripTypeScriptTypes } from 'node:module';
import { editedSources, type SourceEdit } from '@flatline/cluster/source-edits';
import { editsWithout, guards } from './guards.ts';
import { dyingAt, blockedAt, failpoints } from './failpoints.ts';

/** Parsing proves that the statement was put where one may stand. */
function expectToFit(edits: readonly SourceEdit[]): void {
  for (const source of editedSources(edits).values()) expect(stripTypeScriptTypes(source)).not.toBe('');
}

describe('what faults put into the sources of processors fits the sources that there are', () => {
  test.each(guards)('without the guard %s', (guard) => {
    expectToFit(editsWithout(guard));
  });

  test.each(failpoints)('at the place %s', (place) => {
    expectToFit(dyingAt(place, 7));
    expectToFit(blockedAt(place, 1, 800));
  });

  test('several at once', () => {
    for (const guard of guards) expectToFit([...editsWithout(guard), ...dyingAt('commit.endSent', 1)]);
  });
});
