import { expect, test } from '@jest/globals';
import { debounceSaid } from './debounce/index.ts';
import { leaseSaid } from './lease/index.ts';
import { type Fields, type SaidWords } from './said-words.ts';
import { scheduleSaid } from './schedule/index.ts';
import { sessionSaid } from './session/index.ts';

test.each<[string, SaidWords, Fields, readonly string[], readonly unknown[] | undefined]>([
  [
    'a summary',
    sessionSaid,
    { incarnation: '3-7', revision: 2, state: 'CLOSED', reason: 'TIMEOUT', lastOffset: 9 },
    ['TIMEOUT', 'CLOSED', 'session.closed'],
    ['3-7', 2],
  ],
  [
    'a session that lives on',
    sessionSaid,
    { incarnation: '3-7', state: 'UPDATED', reason: null, lastOffset: 9 },
    ['UPDATED', 'session.updated'],
    ['3-7', 'UPDATED', 9],
  ],
  [
    'an answer about a lease',
    leaseSaid,
    { type: 'REJECTED', reason: 'HELD' },
    ['REJECTED', 'HELD', 'lease.rejected'],
    undefined,
  ],
  [
    'a batch',
    debounceSaid,
    { windowId: '3-7', reason: 'QUIET', part: 1 },
    ['QUIET', 'batch.fired'],
    ['3-7', 'QUIET', 1],
  ],
  ['a run', scheduleSaid, { schedule: '3-7', run: 4 }, ['DUE', 'schedule.due'], ['3-7', 4]],
])('[P3][N1] %s is called by names that may be asked for, and by an id of its own', (_, words, fields, names, id) => {
  const found = words.nameOf(fields)!;
  expect([...found.names, found.type]).toEqual(names);
  expect(words.all).toEqual(expect.arrayContaining([...names]));
  expect(words.idOf?.(fields)).toEqual(id);
});

test.each<[string, SaidWords]>([
  ['session', sessionSaid],
  ['lease', leaseSaid],
  ['debounce', debounceSaid],
])('[N1] fields of something else have no name among outputs of kind %s', (_, words) => {
  expect([words.nameOf({ other: 1 }), words.idOf?.({ other: 1 })]).toEqual([undefined, undefined]);
});
