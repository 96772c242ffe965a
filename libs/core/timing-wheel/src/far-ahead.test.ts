// Cost of waiting for long: counted, not timed.
import { expect, test } from '@jest/globals';
import { LEVELS } from './levels.ts';
import { TimingWheel } from './timing-wheel.ts';

const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;
const START = 1_800_000_000_000;
const COUNT = 500;

test('[D2][W3] what is due years ahead is looked at a few times in all, however often it is asked what is due', () => {
  const looks = new Map<number, number>();
  const deadlines = Array.from({ length: COUNT }, (_, id) => START + 10 * YEAR + id * 12_345_678);
  const wheel = new TimingWheel({
    startAt: START,
    deadlineOf: (id) => {
      looks.set(id, (looks.get(id) ?? 0) + 1);
      return deadlines[id]!;
    },
  });
  for (let id = 0; id < COUNT; id += 1) wheel.schedule(id);
  const fired: number[] = [];
  const end = START + 10 * YEAR + COUNT * 12_345_678;
  let polls = 0;
  // No hour in which those of the next are loaded.
  for (let now = START; now < end; now += HOUR, polls += 1)
    wheel.poll(now, 10, (id) => {
      expect(deadlines[id]).toBeLessThanOrEqual(now);
      fired.push(id);
    });
  wheel.poll(end, 10, (id) => fired.push(id));
  expect(fired).toHaveLength(COUNT);
  expect(polls).toBeGreaterThan(87_000);
  expect(Math.max(...looks.values())).toBeLessThanOrEqual(LEVELS);
});
