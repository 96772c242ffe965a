// Cost of knowing exactly what is due: counted, not timed.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { POLL_MOVES_MIN, POLL_MOVES_PER_FIRE, TimingWheel } from './timing-wheel.ts';

const TICK = 10;
/** Wide slots begin here, of 65 536 ticks and of all narrower ones. */
const EDGE = Math.ceil(1_800_000_000_000 / TICK / 65_536) * 65_536 * TICK;
const DAY = 24 * 3_600_000;
const COUNT = 100_000;
const LIMIT = 32;
const LOOKS_MAX = 2 * (POLL_MOVES_MIN + POLL_MOVES_PER_FIRE * LIMIT);

let deadlines: Float64Array;
let looks: number;
let fired: number[];

beforeEach(() => {
  deadlines = new Float64Array(COUNT);
  looks = 0;
  fired = [];
});

function polled(startAt: number, now: number): TimingWheel {
  const wheel = new TimingWheel({
    tickMs: TICK,
    startAt,
    deadlineOf: (id) => {
      looks += 1;
      return deadlines[id]!;
    },
  });
  for (let id = 0; id < COUNT; id += 1) wheel.schedule(id);
  wheel.poll(now, LIMIT, (id) => fired.push(id));
  return wheel;
}

/** Calls until nothing is left; the most deadlines that one call looked at. */
function mostLooks(wheel: TimingWheel): number {
  let most = 0;
  for (let more = true; more;) {
    looks = 0;
    more = wheel.fireWithinTick(LIMIT, (id) => fired.push(id));
    most = Math.max(most, looks);
  }
  return most;
}

describe('[W2][W3] what is due within a tick is found in bounded parts', () => {
  test('where a wide slot begins with the tick, and holds many that are due long after it', () => {
    for (let id = 0; id < COUNT; id += 1) deadlines[id] = EDGE + 1 + 6 * id;
    deadlines[COUNT - 1] = EDGE - 5;
    const wheel = polled(EDGE - DAY, EDGE - 5);
    expect(mostLooks(wheel)).toBeLessThanOrEqual(LOOKS_MAX);
    expect(fired).toEqual([COUNT - 1]);
    wheel.poll(EDGE - 4, LIMIT, (id) => fired.push(id));
    expect(mostLooks(wheel)).toBeLessThan(LIMIT);
  });

  test('where many were re-armed for later, and wait for the tick still', () => {
    deadlines.fill(EDGE - 6);
    const wheel = polled(EDGE - 100 * TICK, EDGE - 11);
    deadlines.fill(EDGE + DAY);
    deadlines[COUNT - 1] = EDGE - 5;
    wheel.poll(EDGE - 5, LIMIT, (id) => fired.push(id));
    expect(mostLooks(wheel)).toBeLessThanOrEqual(LOOKS_MAX);
    expect(fired).toEqual([COUNT - 1]);
    wheel.poll(EDGE - 4, LIMIT, (id) => fired.push(id));
    expect(mostLooks(wheel)).toBeLessThan(LIMIT);
  });

  test('where many are due later in it: each instant looks at each of them once', () => {
    deadlines.fill(EDGE - 2);
    deadlines[COUNT - 1] = EDGE - 5;
    const wheel = polled(EDGE - 100 * TICK, EDGE - 11);
    wheel.poll(EDGE - 5, LIMIT, (id) => fired.push(id));
    expect(mostLooks(wheel)).toBeLessThanOrEqual(LOOKS_MAX);
    expect(fired).toEqual([COUNT - 1]);
    expect(mostLooks(wheel)).toBe(0);
    expect(wheel.earliestDeadline()).toBe(EDGE - 2);
    wheel.schedule(COUNT - 1);
    wheel.poll(EDGE - 5, LIMIT, (id) => fired.push(id));
    expect(mostLooks(wheel)).toBeLessThan(LIMIT);
    wheel.poll(EDGE - 4, LIMIT, (id) => fired.push(id));
    expect(mostLooks(wheel)).toBeLessThanOrEqual(LOOKS_MAX);
    expect(fired).toHaveLength(2);
    wheel.poll(EDGE - 2, LIMIT, (id) => fired.push(id));
    expect(mostLooks(wheel)).toBeLessThanOrEqual(LOOKS_MAX);
    expect(new Set(fired).size).toBe(COUNT);
  });

  test('where many were looked at, and the clock moves beyond the tick', () => {
    deadlines.fill(EDGE - 2);
    const wheel = polled(EDGE - 100 * TICK, EDGE - 11);
    wheel.poll(EDGE - 5, LIMIT, (id) => fired.push(id));
    mostLooks(wheel);
    expect(fired).toEqual([]);
    wheel.poll(EDGE + 1, COUNT, (id) => fired.push(id));
    expect(new Set(fired).size).toBe(COUNT);
  });
});
