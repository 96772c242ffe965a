// Histories in which ZooKeeper's session tracker fails, since it counts from when its leader looks at something, and leases do
// not, which count from when it was appended.
import { describe, expect, test } from '@jest/globals';
import type { Said } from '@flatline/oracle/lease';
import { LeaseLog } from '../lease/leases.fixture.ts';

const T = 1_000_000;
const TIMEOUT_MS = 10_000;
const BUCKET_MS = 2_000;
const START = { type: 'STARTED', timeoutMs: TIMEOUT_MS };
const bears = (token: number): Readonly<Record<string, string>> => ({ 'flatline-token': String(token) });

/** As org.apache.zookeeper.server.SessionTrackerImpl with its ExpiryQueue keeps them, told the instant of each call. */
class SessionTracker {
  readonly #expiries = new Map<string, number>();

  /** False: there is no such session. */
  touch(id: string, now: number): boolean {
    if (!this.#expiries.has(id)) return false;
    this.track(id, now);
    return true;
  }

  track(id: string, now: number): void {
    this.#expiries.set(id, (Math.floor((now + TIMEOUT_MS) / BUCKET_MS) + 1) * BUCKET_MS);
  }

  /** Runs the expiry, as its thread does. */
  expire(now: number): void {
    for (const [id, expiry] of this.#expiries) if (expiry <= now) this.#expiries.delete(id);
  }

  /** Loads the sessions that the old leader had, as a new leader does. */
  restart(now: number): void {
    for (const id of this.#expiries.keys()) this.track(id, now);
  }

  get live(): readonly string[] {
    return [...this.#expiries.keys()];
  }
}

/** Returns the last type said of a key, and as of when. */
function lastSaid(log: LeaseLog, key: string): string {
  const last = log
    .said(key)
    .findLast((each): each is NonNullable<Said> => each !== null && each['type'] !== 'REJECTED');
  return `${String(last?.['type'])} ${Number(last?.['at']) - T}`;
}

/** By the rule for both: the next end of a bucket. */
function ended(afterMs: number): number {
  return (Math.floor((T + afterMs) / BUCKET_MS) + 1) * BUCKET_MS - T;
}

describe('where a session tracker fails', () => {
  test('[L1][L2][R1] its leader restarts again and again: each time all have their full timeout; a lease ends as of its deadline', () => {
    const log = new LeaseLog({ rules: { bucketMs: BUCKET_MS } });
    const tracker = new SessionTracker();
    log.add(T, 'silent', START);
    tracker.track('silent', T);
    for (let after = 0; after <= 64_000; after += 8_000) {
      log.add(T + after, null);
      log.commit();
      log.restart();
      tracker.expire(T + after);
      tracker.restart(T + after);
    }
    expect(tracker.live).toEqual(['silent']);
    expect(lastSaid(log, 'silent')).toBe(`EXPIRED ${ended(TIMEOUT_MS)}`);
  });

  test.each(['its thread runs first', 'what has waited is looked at first'])(
    '[L1][L3] its leader is paused, and then %s: one that was heard all the time is lost, or a late one revived; no lease is',
    (order) => {
      const log = new LeaseLog({ rules: { bucketMs: BUCKET_MS } });
      const tracker = new SessionTracker();
      const resumedAt = T + 40_000;
      for (const key of ['steady', 'late']) tracker.track(key, T);
      const [steady, late] = ['steady', 'late'].map((key) => log.add(T, key, START) + 1);
      log.commit();
      // From here on it is paused, and what is sent waits.
      const touches: string[] = [];
      for (const after of [8_000, 13_000, 17_000, 26_000, 35_000]) {
        const key = after === 13_000 ? 'late' : 'steady';
        log.add(T + after, key, '', bears(key === 'late' ? late! : steady!));
        touches.push(key);
      }
      if (order === 'its thread runs first') tracker.expire(resumedAt);
      for (const key of touches) tracker.touch(key, resumedAt);
      expect(tracker.live).toEqual(order === 'its thread runs first' ? [] : ['steady', 'late']);
      log.add(resumedAt, null);
      log.commit();
      expect(lastSaid(log, 'steady')).toBe('GRANTED 0');
      expect(lastSaid(log, 'late')).toBe(`EXPIRED ${ended(TIMEOUT_MS)}`);
      expect(log.said('late').at(-1)).toMatchObject({ type: 'REJECTED', reason: 'NOT_HELD' });
    },
  );
});
