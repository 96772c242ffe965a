import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { contenders } from './contenders.ts';
import { deadlineOf, shuffledIds, START, type TimerQueue } from './timer-queue.ts';

const TIMERS = 500;
const STEP_MS = 100;

/** Runs a few thousand seeded operations, noting the deadline of each id, and holds every fire against it. */
function fires(queue: TimerQueue, resolutionMs: number): number {
  const random = seededRandom(7);
  const armed = new Map<number, number>();
  let fired = 0;
  for (let now = START; now < START + 300 * STEP_MS || armed.size > 0; now += STEP_MS) {
    for (let operation = 0; operation < 10 && now < START + 300 * STEP_MS; operation += 1) {
      const id = random.below(TIMERS);
      if (random.chance(0.2)) {
        queue.cancel(id);
        armed.delete(id);
      } else {
        armed.set(id, now + 1 + random.below(20_000));
        queue.schedule(id, armed.get(id)!);
      }
    }
    fired += queue.poll(now, (id) => {
      expect(armed.get(id)).toBeLessThanOrEqual(now);
      armed.delete(id);
    });
    const overdue = [...armed.values()].filter((deadline) => deadline + resolutionMs <= now).length;
    expect([overdue, queue.size]).toEqual([0, armed.size]);
  }
  return fired;
}

describe('contenders', () => {
  test.each(contenders)('$name fires every timer once, none early, within its resolution', (contender) => {
    expect(fires(contender.create(START, TIMERS), contender.resolutionMs)).toBeGreaterThan(500);
  });
});

describe('workload', () => {
  test('shuffledIds holds every id once, the same each time, and not in order', () => {
    const ids = shuffledIds(1000);
    expect(new Set(ids).size).toBe(1000);
    expect(shuffledIds(1000)).toEqual(ids);
    expect([...ids]).not.toEqual([...ids].toSorted((a, b) => a - b));
  });

  test('deadlines are in the future and spread', () => {
    const deadlines = Array.from({ length: 1000 }, (_, id) => deadlineOf(id));
    expect(Math.min(...deadlines)).toBeGreaterThan(START);
    expect(Math.max(...deadlines) - Math.min(...deadlines)).toBeGreaterThan(30 * 60_000);
  });
});
