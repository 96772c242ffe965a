// Room for the state of leases (I7): the fold itself says which start has any.
import { expect, test } from '@jest/globals';
import { blankReach } from '../../judge/reach.ts';
import { keyedRecord } from '../../logs/raw-record.ts';
import { leaseReading } from './lease-reading.ts';

const utf8 = new TextEncoder();
const RULES = {
  kind: 'lease',
  timestampType: 'LogAppendTime',
  maxKeyBytes: 32,
  unheardMs: 0,
  maxHoldMs: 0,
  timeoutMs: 10_000,
  minTimeoutMs: 1_000,
  maxTimeoutMs: 300_000,
  bucketMs: 0,
  onConflict: 'queue',
  maxWaiters: 3,
  lockDelayMs: 0,
  maxDurationMs: undefined,
  tokenEpoch: 0,
} as const;
/** An entry, and a key of up to four bytes. */
const BESIDE = 128 + 4;
/** Lengths, a count, "r1", "host", "h1": and how many wait. */
const HOLDER = 1 + 2 + 1 + 1 + 4 + 1 + 2 + 1;
/** Offset 1, a timeout of 10 000, until 1 000 301 000, no request id, no attributes. */
const WAITER = 1 + 2 + 6 + 1 + 1;

function refused(stateBytesMax: number, ...values: readonly object[]): readonly number[] {
  const { fold } = leaseReading(0, { ...RULES, stateBytesMax }, blankReach());
  const key = utf8.encode('k');
  for (const [offset, value] of values.entries()) {
    const place = { offset, timestamp: 1e12 + offset, logAppendTime: true, key, headers: [] };
    fold.record(keyedRecord({ ...place, value: utf8.encode(JSON.stringify(value)) }), Infinity, true);
  }
  return fold.takeBad();
}

const START = { type: 'STARTED', requestId: 'r1', attributes: { host: 'h1' } };
const WAITS = { type: 'STARTED', waitMs: 300_000 };

test('[I7] a start is refused where its holder would be a byte too long, whatever the processor says', () => {
  expect(refused(BESIDE + HOLDER, START)).toEqual([]);
  expect(refused(BESIDE + HOLDER - 1, START)).toEqual([0]);
});

test('[I7] one that would wait likewise', () => {
  expect(refused(BESIDE + HOLDER + WAITER, START, WAITS)).toEqual([]);
  expect(refused(BESIDE + HOLDER + WAITER - 1, START, WAITS)).toEqual([1]);
});

test('[I7] who says nothing of themselves takes an entry alone', () => {
  expect(refused(BESIDE, { type: 'STARTED' })).toEqual([]);
  expect(refused(BESIDE - 1, { type: 'STARTED' })).toEqual([0]);
});
