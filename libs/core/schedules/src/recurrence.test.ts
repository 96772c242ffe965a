// Missed instants of an expression, found without walking through it.
import { describe, expect, test } from '@jest/globals';
import { type Calendar, seededRandom } from '@flatline/base';
import { Recurrence } from './recurrence.ts';
import type { Specification } from './specification.ts';

const DAY = 86_400;
const WHEN: Specification = {
  everyMs: undefined,
  cron: 'each second of the first hour',
  timeZone: 'UTC',
  startAt: undefined,
  endAt: undefined,
  maxRuns: undefined,
  expiresMs: undefined,
  jitterMs: undefined,
};

/** Each second of the first `burst` of a day. */
class Bursts implements Calendar {
  readonly version = '';
  readonly #burst: number;
  asked = 0;

  constructor(burst: number) {
    this.#burst = burst;
  }

  fault(): undefined {
    return undefined;
  }

  next(_cron: string, _zone: string, after: number): number {
    this.asked += 1;
    const second = Math.floor(after / 1_000) + 1;
    const ofDay = second % DAY;
    return (ofDay < this.#burst ? second : second - ofDay + DAY) * 1_000;
  }
}

describe('the latest instant', () => {
  test('[D3] of a burst of seconds some hours ago is found without walking through the burst', () => {
    const bursts = new Bursts(3_600);
    expect(new Recurrence(bursts).latest(WHEN, 0, 20 * 3_600_000)).toBe(3_599_000);
    expect(bursts.asked).toBeLessThan(40);
  });

  test('[D3] is the last one up to then, however far apart', () => {
    const random = seededRandom(7);
    for (let i = 0; i < 500; i += 1) {
      const bursts = new Bursts(1 + random.below(5));
      const recurrence = new Recurrence(bursts);
      const dueAt = bursts.next('', '', random.below(5 * DAY * 1_000));
      const endAt = random.chance(0.3) ? dueAt + random.below(5 * DAY * 1_000) : undefined;
      const until = dueAt + random.below(5 * DAY * 1_000);
      let latest = dueAt;
      for (let at = dueAt; at <= Math.min(until, endAt ?? Infinity); at = bursts.next('', '', at)) latest = at;
      expect(recurrence.latest({ ...WHEN, endAt }, dueAt, until)).toBe(latest);
    }
  });
});
