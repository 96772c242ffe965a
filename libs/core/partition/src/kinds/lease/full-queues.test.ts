// How much a lease's holder and queue may hold, to the byte, and as the oracle has it.
import { expect, test } from '@jest/globals';
import { brief, LeaseLog, START, T } from './leases.fixture.ts';

const SETTINGS = { rules: { onConflict: 'queue', maxWaiters: 9, maxAttributeBytes: 1e8 } } as const;
/** The holder's claim, which says nothing, and how many wait. */
const HOLDER = 1 + 1 + 1;
/** Offset, timeout, end of the wait, no request id, one attribute, its name, the length of its value. */
const AROUND = 1 + 2 + 3 + 1 + 1 + 2 + 4;

/** A start that takes so many bytes of the state where it waits; with a byte that is a character of two. */
const startOf = (bytes: number): Readonly<Record<string, unknown>> => ({
  ...START,
  attributes: { a: `${'m'.repeat(bytes - AROUND - 2)}é` },
});

const ids = ['QUEUED', 'REJECTED QUEUE_FULL'];
const ends = (log: LeaseLog, key: string): string[] =>
  brief(log.said(key)).map((each) => ids.find((id) => each.startsWith(id)) ?? each.split(' ')[0]!);

test('[L4] who holds a lease and who waits for it have 64 000 000 bytes at most; others have their own', () => {
  const log = new LeaseLog(SETTINGS);
  for (const key of ['at', 'above']) {
    log.add(T, key, START);
    log.add(T, key, startOf(32_000_000));
  }
  const left = 32_000_000 - HOLDER;
  log.add(T, 'at', startOf(left + 1));
  log.commit(false);
  log.restart();
  log.add(T, 'at', startOf(left - 9));
  // No more than its numbers, a request id of a byte, and no attributes.
  log.add(T, 'at', { ...START, requestId: 'ab' });
  log.add(T, 'at', { ...START, requestId: 'a' });
  log.add(T, 'at', START);
  log.add(T, 'above', startOf(left + 1));
  log.add(T, 'above', startOf(left));
  log.commit(false);
  const { all, refused } = log.folded();
  expect(ends(log, 'at')).toEqual(['GRANTED', 'QUEUED', ids[1], 'QUEUED', ids[1], 'QUEUED', ids[1]]);
  expect(ends(log, 'above')).toEqual(['GRANTED', 'QUEUED', ids[1], 'QUEUED']);
  expect(log.all()).toEqual(all);
  expect(refused).toEqual([]);
});
