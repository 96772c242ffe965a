import { expect, test } from '@jest/globals';
import { committedIn, noteOf } from './offset-note.ts';

const commit = { inputPartitions: 4, sequence: 12, commitId: '9f-3' };
/** Notes as read by a build that does not know kinds: without a match it has no witness against the changelog. */
const FORMER = /^partitions=(\d{1,9})(?: commit=(\d{1,15}) (\S{1,100}))?$/;

test('[R3] the note of an offset says which commit it is of, and of what kind', () => {
  const said = { partitions: 4, sequence: 12, commitId: '9f-3' };
  expect(committedIn(noteOf(commit, 'session'))).toEqual({ ...said, kind: 'session', tokenEpoch: 0 });
  expect(committedIn(noteOf(commit))).toEqual({ ...said, kind: undefined, tokenEpoch: 0 });
  expect(committedIn('partitions=4')).toMatchObject({ partitions: 4, sequence: undefined, kind: undefined });
  expect(committedIn('of something else')).toBeUndefined();
});

test('[L3] the note says the epoch of the tokens that were granted, where there is one', () => {
  expect(committedIn(noteOf(commit, 'lease', 3))).toMatchObject({ commitId: '9f-3', kind: 'lease', tokenEpoch: 3 });
  expect(noteOf(commit, 'lease', 0)).toBe(noteOf(commit, 'lease'));
  expect(committedIn(noteOf(commit, 'lease'))?.tokenEpoch).toBe(0);
  // A build that knows of kinds and not of this takes it for a part of the commit's id.
  const beforeEpochs = /^partitions=(\d{1,9})(?: commit=(\d{1,15}) ([^\s,]{1,100})(?:,kind=([a-z]{1,20}))?)?$/;
  expect(beforeEpochs.exec(noteOf(commit, 'lease', 3))?.slice(1, 3)).toEqual(['4', '12']);
});

test('[R3] a build from before kinds, which is put back, finds partitions and sequence in it', () => {
  expect(FORMER.exec(noteOf(commit, 'session'))?.slice(1, 3)).toEqual(['4', '12']);
});
