import { describe, expect, test } from '@jest/globals';
import { ByteWriter } from '@flatline/base';
import { nameOf } from '../logs/byte-names.ts';
import type { LoggedImage } from '../logs/changelog-fold.ts';
import { EntriesFold } from './entries-fold.ts';
import type { EntryRules } from './entry-rules.ts';
import { leaseEntries } from './lease/lease-reading.ts';
import type { LeaseState, Said } from './lease/naive-lease.ts';

const utf8 = new TextEncoder();
const KEY = utf8.encode('hot');
const NAME = nameOf(KEY);
const T = 1_800_000_000_000;
const TIMEOUT_MS = 1_000;
const WAIT_MS = 1e9;
const COMMON = { timestampType: 'LogAppendTime', maxKeyBytes: 32, unheardMs: 0, maxHoldMs: 0 } as const;
const RULES = {
  timeoutMs: TIMEOUT_MS,
  minTimeoutMs: 1,
  maxTimeoutMs: WAIT_MS,
  bucketMs: 0,
  onConflict: 'queue',
  maxWaiters: 1e6,
  lockDelayMs: 0,
  maxDurationMs: undefined,
  tokenEpoch: 0,
};
const STARTS = 60;

/** Encodes the changelog's image of the key while the start at that offset holds the lease and all later ones wait. */
function loggedWith(holder: number): LoggedImage {
  const out = new ByteWriter(64);
  const grantedAt = T + holder * TIMEOUT_MS;
  const waiting = Array.from({ length: STARTS - 1 - holder }, (_, at) => holder + 1 + at);
  out.u8(0);
  const nextWaitAt = waiting.length === 0 ? 0 : T + WAIT_MS;
  for (const number of [grantedAt, grantedAt, holder + 1, TIMEOUT_MS, 0, nextWaitAt]) out.varint(number);
  const head = out.copy();
  const page = new ByteWriter(64);
  for (const number of [0, 0, waiting.length]) page.varint(number);
  for (const offset of waiting) for (const number of [offset, TIMEOUT_MS, T + WAIT_MS, 0, 0]) page.varint(number);
  const pages = [page.copy()];
  return { key: KEY, head, pages, image: Uint8Array.from([...head, ...pages[0]!]), offset: 0 };
}

/** A key that many want at once, until all have held it in turn; and the number of looks at its states. */
function contended(): {
  readonly fold: EntriesFold<LeaseState, Said>;
  readonly looks: { compared: number; read: number };
} {
  const looks = { compared: 0, read: 0 };
  const kind = leaseEntries(0, RULES);
  const counted: EntryRules<LeaseState, Said> = {
    ...kind,
    differences: (found, expected) => {
      looks.compared += 1;
      return kind.differences(found, expected);
    },
    stateIn: (image) => {
      looks.read += 1;
      return kind.stateIn(image);
    },
  };
  const counts = { opened: 0, duplicates: 0, badRecords: 0, clockRecords: 0, formerTypeRecords: 0 };
  const fold = new EntriesFold({ rules: COMMON, counts, kind: counted });
  const value = utf8.encode('{"type":"STARTED"}');
  const start = { key: KEY, value, timestamp: T, logAppendTime: true, hasClockHeader: false, event: undefined };
  for (let offset = 0; offset < STARTS; offset += 1) fold.record({ ...start, offset });
  fold.advance(T + (STARTS - 1) * TIMEOUT_MS);
  return { fold, looks };
}

/** All records that time has brought about, up to the holder at that offset. */
function turnsUpTo(holder: number): string[] {
  return Array.from({ length: holder }, (_, at) => [`EXPIRED ${at + 1}`, `GRANTED ${at + 1}`]).flat();
}

describe('records of a contended key from before the first commit that is there', () => {
  test('[V1] are found by one comparison of a state for each instant, however often they are asked for', () => {
    const { fold, looks } = contended();
    const last = loggedWith(STARTS - 1);
    const ids = turnsUpTo(STARTS - 1);
    for (let looked = 0; looked < 3; looked += 1) expect(ids.filter((id) => !fold.hasSaid(NAME, id, last))).toEqual([]);
    expect(looks).toEqual({ compared: STARTS - 1, read: 1 });
    expect(ids.map((id) => fold.takeSaid(NAME, id)?.expected.id)).toEqual(ids);
    expect(looks).toEqual({ compared: STARTS - 1, read: 1 });
  });

  test('[V1] are found as far as the changelog shows them, and states up to there are compared no more', () => {
    const { fold, looks } = contended();
    const shown = STARTS / 2;
    const logged = loggedWith(shown);
    const ids = turnsUpTo(STARTS - 1);
    expect(ids.filter((id) => fold.hasSaid(NAME, id, logged))).toEqual(turnsUpTo(shown));
    expect(looks).toEqual({ compared: shown + 1, read: 1 });
    for (const id of turnsUpTo(shown)) {
      expect(fold.hasSaid(NAME, id, logged)).toBe(true);
      fold.takeSaid(NAME, id);
    }
    expect(ids.filter((id) => fold.hasSaid(NAME, id, logged))).toEqual([]);
    expect(looks).toEqual({ compared: shown + 1, read: 1 });
  });

  test('[V1] are compared again with another state', () => {
    const { fold } = contended();
    const saidWith = (holder: number): string[] => {
      const logged = loggedWith(holder);
      return turnsUpTo(STARTS - 1).filter((id) => fold.hasSaid(NAME, id, logged));
    };
    expect(saidWith(20)).toEqual(turnsUpTo(20));
    expect(saidWith(10)).toEqual(turnsUpTo(10));
    expect(saidWith(30)).toEqual(turnsUpTo(30));
  });
});
