import { beforeEach, describe, expect, test } from '@jest/globals';
import { AssertionError } from '@flatline/base';
import fc from 'fast-check';
import { ID_MAX } from './buckets.ts';
import { KeptDeadlines } from './kept-deadlines.fixture.ts';
import { POLL_MOVES_MIN, POLL_MOVES_PER_FIRE } from './timing-wheel.ts';

const START = 1_760_000_000_000;
const SECOND = 1000;
const HOUR = 3600 * SECOND;
const YEAR = 365 * 24 * HOUR;

let wheel: KeptDeadlines;
let fired: number[];
const record = (id: number): void => void fired.push(id);
const poll = (now: number, limit = Infinity): number => wheel.poll(now, limit, record);

beforeEach(() => {
  wheel = new KeptDeadlines({ startAt: START });
  fired = [];
});

describe('firing', () => {
  test('[W1] [W2] within the tick all that is due fires when asked for, and nothing else (rerun: the printed seed)', () => {
    const delay = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 45_000 }));
    const moved = fc.option(fc.integer({ min: 0, max: 3_000 }));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(delay, moved), { maxLength: 40 }),
        fc.array(delay, { maxLength: 12 }),
        (armed, steps) => {
          const kept = new KeptDeadlines({ startAt: START });
          armed.forEach(([ms, later], id) => {
            kept.schedule(id, START + ms);
            // Re-armed as heartbeats do: the wheel is not told.
            if (later !== null) kept.schedule(id, START + ms + later);
          });
          let now = START;
          for (const step of steps) {
            now += step;
            kept.poll(now, Infinity, () => undefined);
            const limit = 1 + (step % 4);
            while (
              kept.fireWithinTick(limit, (id) => {
                expect(kept.isArmed(id)).toBe(false);
              })
            );
            for (let id = 0; id < armed.length; id += 1) expect(kept.isArmed(id)).toBe(kept.deadlineOf(id) > now);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test.each([1, 9, 10, 11, 2559, 2560, 2561, 40_959, 40_961, 1_800_000, YEAR + 3])(
    '[W1] [W2] a deadline %d ms ahead does not fire a millisecond sooner, and has fired a tick later',
    (delay) => {
      wheel.schedule(7, START + delay);
      poll(START + delay - 1);
      expect(fired).toEqual([]);
      expect(poll(START + Math.ceil(delay / 10) * 10)).toBe(1);
      expect(fired).toEqual([7]);
      expect(wheel.size).toBe(0);
    },
  );

  test('[W1] [W2] the same when time goes on millisecond by millisecond, across the boundaries of the levels', () => {
    const deadlines = [2555, 2560, 2565, 5120, 40_960, 40_965, 41_000].map((delay) => START + delay);
    deadlines.forEach((deadline, id) => {
      wheel.schedule(id, deadline);
    });
    const at = new Map<number, number>();
    for (let now = START; now <= START + 42_000; now += 1) wheel.poll(now, Infinity, (id) => at.set(id, now));
    const late = deadlines.map((deadline, id) => at.get(id)! - deadline);
    expect(late.every((ms) => ms >= 0 && ms < 10)).toBe(true);
  });

  test('[W2] the tick is an option', () => {
    wheel = new KeptDeadlines({ startAt: START, tickMs: 1 });
    wheel.schedule(0, START + 3);
    poll(START + 2);
    expect(fired).toEqual([]);
    poll(START + 3);
    expect(fired).toEqual([0]);
  });

  test('[W3] a poll fires at most its limit, and what it leaves stays due', () => {
    for (let id = 0; id < 10; id += 1) wheel.schedule(id, START + 5 + id * 30);
    expect(poll(START + SECOND, 4)).toBe(4);
    expect(wheel.size).toBe(6);
    expect(wheel.hasBacklog).toBe(true);
    expect(poll(START + SECOND, 0)).toBe(0);
    expect(poll(START + SECOND, 6)).toBe(6);
    expect(wheel.hasBacklog).toBe(false);
    expect(fired.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('[W3] an id cancelled or re-armed while it waits behind the limit does not fire', () => {
    for (let id = 0; id < 4; id += 1) wheel.schedule(id, START + 5);
    poll(START + 10, 1);
    const [first, cancelled, rearmed, last] = [fired[0]!, ...[0, 1, 2, 3].filter((id) => id !== fired[0])];
    wheel.cancel(cancelled!);
    wheel.schedule(rearmed!, START + 500);
    poll(START + 10);
    expect(fired).toEqual([first, last]);
    poll(START + 500);
    expect(fired).toEqual([first, last, rearmed]);
  });

  test('[W3] what has come due last has a quarter of a poll, however much waits from before', () => {
    for (let id = 0; id < 1000; id += 1) wheel.schedule(id, START + 10);
    poll(START + 10, 8);
    for (let id = 1000; id < 1006; id += 1) wheel.schedule(id, START + 20);
    fired = [];
    poll(START + 20, 16);
    expect(fired.filter((id) => id >= 1000)).toEqual([1005, 1004, 1003, 1002]);
    expect(fired).toHaveLength(16);
    poll(START + 20, 16);
    expect(fired.filter((id) => id >= 1000)).toHaveLength(6);
    expect(fired).toHaveLength(32);
    poll(START + 30);
    expect(new Set(fired).size).toBe(1006 - 8);
  });

  test('[W3] and three quarters are of what waits from before, also where a poll may fire one alone', () => {
    for (let id = 0; id < 1000; id += 1) wheel.schedule(id, START + 10);
    poll(START + 10, 8);
    fired = [];
    // Each time as many come due as may fire.
    for (let id = 1000; id < 1040; id += 1) {
      wheel.schedule(id, START + 20 + (id - 1000) * 10);
      poll(START + 20 + (id - 1000) * 10, 1);
    }
    expect(fired).toHaveLength(40);
    expect(fired.filter((id) => id < 1000)).toHaveLength(30);
  });

  test('[W3] the last to come due are those of the last tick, also where one poll has found several', () => {
    for (let id = 0; id < 1000; id += 1) wheel.schedule(id, START + 10);
    wheel.schedule(1000, START + 20);
    poll(START + 20, 8);
    for (let id = 2000; id < 2100; id += 1) wheel.schedule(id, START + 30);
    wheel.schedule(2100, START + 40);
    wheel.schedule(2101, START + 50);
    poll(START + 40, 8);
    poll(START + 50, 8);
    expect(fired).toEqual(expect.arrayContaining([2100, 2101]));
    for (let id = 1001; id < 1020; id += 1) {
      wheel.schedule(id, START + 60 + id);
      poll(START + 60 + id, 512);
    }
    expect(fired).toContain(1000);
  });

  test('[W3][C2] the earliest ahead is of those that no poll has found due; the earliest deadline is of all', () => {
    expect(wheel.earliestAhead()).toBeUndefined();
    for (let id = 0; id < 20; id += 1) wheel.schedule(id, START + 10);
    wheel.schedule(20, START + 5_000);
    expect(wheel.earliestAhead()).toBe(START + 10);
    poll(START + 10, 8);
    expect([wheel.earliestDeadline(), wheel.earliestAhead()]).toEqual([START + 10, START + 5_000]);
    // Armed for an instant that is over, it is due, and waits for no later one.
    wheel.schedule(21, START);
    expect([wheel.earliestDeadline(), wheel.earliestAhead()]).toEqual([START, START + 5_000]);
    // Looked at within its tick, and not due yet.
    poll(START + 10);
    wheel.schedule(22, START + 17);
    expect(wheel.fireWithinTick(8, (id) => fired.push(id))).toBe(false);
    expect(wheel.earliestAhead()).toBe(START + 17);
    wheel.cancel(20);
    wheel.cancel(22);
    expect([wheel.earliestDeadline(), wheel.earliestAhead()]).toEqual([undefined, undefined]);
  });

  test('[W3] what is found due at one instant goes out in its order, in however many polls', () => {
    for (let id = 0; id < 100; id += 1) wheel.schedule(id, START + 10 * (id + 1));
    for (let left = 20; left > 0; left -= 1) poll(START + 2_000, 8);
    expect(fired).toEqual(Array.from({ length: 100 }, (_, id) => id));
    // Also after a time at which it was behind.
    fired = [];
    for (let id = 0; id < 100; id += 1) wheel.schedule(id, START + 3_000);
    poll(START + 3_000, 8);
    poll(START + 3_010, 500);
    fired = [];
    for (let id = 0; id < 20; id += 1) wheel.schedule(id, START + 4_000 + id);
    poll(START + 4_100, 8);
    poll(START + 4_100, 50);
    expect(fired).toEqual(Array.from({ length: 20 }, (_, id) => id));
  });

  test('[W3] so it is of any bursts and polls (rerun: the printed seed)', () => {
    const burst = fc.record({
      count: fc.oneof(fc.nat(3), fc.nat(300)),
      delay: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 6_000 })),
    });
    const step = fc.record({ jump: fc.oneof(fc.constant(0), fc.nat(50), fc.nat(3_000)), limit: fc.nat(40) });
    fc.assert(
      fc.property(fc.array(burst, { maxLength: 6 }), fc.array(step, { maxLength: 12 }), (bursts, steps) => {
        const kept = new KeptDeadlines({ startAt: START });
        let ids = 0;
        for (const { count, delay } of bursts)
          for (let left = count; left > 0; left -= 1) kept.schedule((ids += 1), START + delay);
        const dueBy = (tick: number): number =>
          Array.from({ length: ids }, (_, at) => at + 1).filter((id) => kept.deadlineOf(id) <= tick).length;
        let now = START;
        let before = START;
        for (const { jump, limit } of steps) {
          if (jump > 0) before = now - (now % 10);
          now += jump;
          const old = dueBy(before);
          const newest = dueBy(now - (now % 10)) - old;
          const fires = kept.poll(now, limit, () => undefined);
          const newestLeft = dueBy(now - (now % 10)) - dueBy(before);
          expect(fires).toBe(Math.min(limit, old + newest));
          expect(newest - newestLeft).toBeGreaterThanOrEqual(Math.min(newest, Math.floor(limit / 4)));
        }
      }),
      { numRuns: 300 },
    );
  });

  test('a callback that throws leaves the rest due', () => {
    wheel.schedule(0, START + 5);
    wheel.schedule(1, START + 5);
    const failing = (): void => {
      throw new Error('callback');
    };
    expect(() => wheel.poll(START + 10, Infinity, failing)).toThrow('callback');
    expect(wheel.hasBacklog).toBe(true);
    expect(poll(START + 10)).toBe(1);
    expect(wheel.hasBacklog).toBe(false);
  });
});

describe('re-arming', () => {
  test('[W4] later: fires at the new deadline only', () => {
    wheel.schedule(0, START + 100);
    wheel.schedule(0, START + 300);
    expect(wheel.deadlineOf(0)).toBe(START + 300);
    poll(START + 299);
    expect(fired).toEqual([]);
    poll(START + 300);
    expect(fired).toEqual([0]);
  });

  test('[W4] later any number of times moves the id once, when it is met', () => {
    wheel.schedule(0, START + 100);
    for (let beat = 1; beat <= 1000; beat += 1) wheel.schedule(0, START + 100 + beat);
    expect(wheel.moved).toBe(0);
    poll(START + 100);
    expect(wheel.moved).toBe(1);
    expect(wheel.hasBacklog).toBe(false);
  });

  test('[W4] earlier: fires at the new deadline, once', () => {
    wheel.schedule(0, START + HOUR);
    wheel.schedule(0, START + 50);
    poll(START + 50);
    expect(fired).toEqual([0]);
    poll(START + 2 * HOUR);
    expect(fired).toEqual([0]);
  });

  test('[W4] cancel disarms; cancelling what is not armed does nothing', () => {
    wheel.schedule(3, START + 50);
    wheel.cancel(3);
    wheel.cancel(3);
    wheel.cancel(4);
    wheel.cancel(1_000_000);
    expect([wheel.size, wheel.isArmed(3), wheel.deadlineOf(3)]).toEqual([0, false, NaN]);
    poll(START + 50);
    expect(fired).toEqual([]);
  });

  test('clear disarms everything and keeps the time', () => {
    wheel.schedule(0, START + 50);
    wheel.schedule(1, START - 50);
    wheel.schedule(2, START + YEAR);
    wheel.clear();
    expect([wheel.size, wheel.isArmed(0), wheel.hasBacklog]).toEqual([0, false, false]);
    wheel.schedule(0, START + 70);
    poll(START + 2 * YEAR);
    expect(fired).toEqual([0]);
  });
});

describe('range', () => {
  test.each([START, START - 1, START - 5, 0, -1000, Number.MIN_SAFE_INTEGER])(
    '[W5] a deadline at or before the present (%d) fires on the next poll, even at the same instant',
    (deadline) => {
      wheel.schedule(0, deadline);
      expect(wheel.hasBacklog).toBe(true);
      expect(poll(START)).toBe(1);
    },
  );

  test('[W5] so does one that re-arming made later but not late enough', () => {
    wheel.schedule(0, START + 11);
    poll(START + 15);
    wheel.schedule(0, START + 14);
    expect(poll(START + 15)).toBe(1);
  });

  test.each([0, -1, -123_456_789, START, Number.MIN_SAFE_INTEGER])(
    '[W5] any safe integer works as a start (%d), and from it to the last one',
    (startAt) => {
      wheel = new KeptDeadlines({ startAt, tickMs: 1 });
      wheel.schedule(0, startAt + 1);
      wheel.schedule(1, startAt + 100 * YEAR);
      wheel.schedule(2, Number.MAX_SAFE_INTEGER);
      poll(startAt + 100 * YEAR - 1);
      expect(fired).toEqual([0]);
      poll(startAt + 100 * YEAR);
      expect(fired).toEqual([0, 1]);
      poll(Number.MAX_SAFE_INTEGER - 1);
      expect(fired).toEqual([0, 1]);
      poll(Number.MAX_SAFE_INTEGER);
      expect(fired).toEqual([0, 1, 2]);
    },
  );

  // 3 x 10^13 ticks: would not end if quiet ones were walked.
  test('[W3] [W5] a thousand quiet years of one-millisecond ticks are crossed in one poll', () => {
    wheel = new KeptDeadlines({ startAt: START, tickMs: 1 });
    wheel.schedule(0, START + 1000 * YEAR + 5);
    poll(START + 1000 * YEAR);
    expect(fired).toEqual([]);
    poll(START + 1000 * YEAR + 5);
    expect(fired).toEqual([0]);
  });

  test('room is made as greater ids come, and those armed before keep their deadlines', () => {
    wheel = new KeptDeadlines({ startAt: START, initialCapacity: 0 });
    const ids = [0, 1, 2, 3, 100, 5000, 4999, 100_000];
    for (const id of ids) wheel.schedule(id, START + id + 1);
    expect(ids.map((id) => wheel.deadlineOf(id))).toEqual(ids.map((id) => START + id + 1));
    expect([wheel.isArmed(4), wheel.isArmed(99_999), wheel.size]).toEqual([false, false, ids.length]);
    poll(START + 200_000);
    expect(new Set(fired)).toEqual(new Set(ids));
  });
});

describe('callbacks', () => {
  test('[W3] what a callback arms for the past fires on the next poll, so a poll ends', () => {
    wheel.schedule(0, START + 5);
    const again = (id: number): void => {
      fired.push(id);
      if (fired.length > 5) throw new Error('the poll does not end');
      wheel.schedule(id, START);
    };
    expect(wheel.poll(START + 10, Infinity, again)).toBe(1);
    expect(wheel.hasBacklog).toBe(true);
    expect(wheel.poll(START + 10, Infinity, again)).toBe(1);
  });

  test('the id is disarmed before its callback, which may arm it again', () => {
    wheel.schedule(0, START + 5);
    wheel.poll(START + 10, Infinity, (id) => {
      expect(wheel.isArmed(id)).toBe(false);
      wheel.schedule(id, START + 20);
    });
    expect(wheel.deadlineOf(0)).toBe(START + 20);
    expect(poll(START + 20)).toBe(1);
  });

  test('a callback may cancel, re-arm and clear what is due in the same poll', () => {
    for (let id = 0; id < 5; id += 1) wheel.schedule(id, START + 5);
    wheel.poll(START + 10, Infinity, (id) => {
      record(id);
      if (fired.length === 1) wheel.cancel((id + 1) % 5);
      if (fired.length === 2) wheel.schedule((id + 1) % 5, START + 30);
      if (fired.length === 3) wheel.clear();
    });
    expect(fired).toHaveLength(3);
    expect([wheel.size, wheel.hasBacklog]).toEqual([0, false]);
  });

  test('a callback may make the arrays grow', () => {
    for (let id = 0; id < 3; id += 1) wheel.schedule(id, START + 5);
    wheel.poll(START + 10, Infinity, (id) => {
      record(id);
      if (id < 3) wheel.schedule(id + 100_000 * fired.length, START + 20);
    });
    expect(fired).toHaveLength(3);
    expect(poll(START + 20)).toBe(3);
  });
});

describe('bounded work', () => {
  const MANY = 20_000;

  function pollsUntilThrough(now: number, limit: number): number {
    const boundMoves = POLL_MOVES_MIN + POLL_MOVES_PER_FIRE * limit;
    for (let polls = 1; polls < MANY; polls += 1) {
      const before = wheel.moved;
      expect(poll(now, limit)).toBeLessThanOrEqual(limit);
      expect(wheel.moved - before).toBeLessThanOrEqual(boundMoves);
      if (!wheel.hasBacklog) return polls;
    }
    throw new Error('the backlog does not end');
  }

  test('[W3] a tick full of re-armed ids is moved in bounded parts', () => {
    for (let id = 0; id < MANY; id += 1) wheel.schedule(id, START + 5);
    for (let id = 0; id < MANY; id += 1) wheel.schedule(id, START + HOUR);
    expect(pollsUntilThrough(START + 10, 10)).toBe(Math.ceil(MANY / (POLL_MOVES_MIN + 10 * POLL_MOVES_PER_FIRE)));
    expect(wheel.moved).toBe(MANY);
    expect(fired).toEqual([]);
    expect(poll(START + HOUR)).toBe(MANY);
  });

  test('[W3] a cascade is done in bounded parts, and its ids fire once each, none early', () => {
    // One slot of level 3, an hour ahead.
    for (let id = 0; id < MANY; id += 1) wheel.schedule(id, START + HOUR + id / 10 - ((id / 10) % 1));
    const slotStart = START + HOUR - 30 * SECOND;
    pollsUntilThrough(slotStart, 10);
    for (let now = START + HOUR; now <= START + HOUR + MANY / 10; now += 250) {
      wheel.poll(now, Infinity, (id) => {
        expect(START + HOUR + Math.floor(id / 10)).toBeLessThanOrEqual(now);
        record(id);
      });
    }
    expect(fired).toHaveLength(MANY);
    expect(new Set(fired).size).toBe(MANY);
  });

  test('[W3] a cascade that stops at its bound leaves a backlog, though nothing that was met is due', () => {
    for (let id = 0; id < MANY; id += 1) wheel.schedule(id, START + HOUR + (id % 4));
    let polls = 0;
    // Ends at the first instant at which ids move: their slot has begun, an hour or less ahead.
    let now = START;
    while (wheel.moved === 0 && now < START + 2 * HOUR) {
      now += 1000;
      poll(now, 0);
      polls += 1;
    }
    expect(polls).toBeLessThan(3600);
    expect([wheel.moved, wheel.hasBacklog, fired.length]).toEqual([POLL_MOVES_MIN, true, 0]);
    pollsUntilThrough(now, 0);
    expect(wheel.moved).toBe(MANY);
  });

  test('[W4] mass expiry: every limited poll does its limit, and a heartbeat in between is still heard', () => {
    for (let id = 0; id < MANY; id += 1) wheel.schedule(id, START + 5);
    expect(poll(START + 10, 100)).toBe(100);
    const alive = [...Array(MANY).keys()].filter((id) => wheel.isArmed(id)).slice(-50);
    for (const id of alive) wheel.schedule(id, START + HOUR);
    for (let polls = 0; polls < MANY && wheel.hasBacklog; polls += 1) poll(START + 10, 100);
    expect(fired).toHaveLength(MANY - 50);
    expect(alive.every((id) => wheel.isArmed(id))).toBe(true);
  });
});

describe('earliestDeadline', () => {
  test('is undefined when nothing is armed, and has no side effect', () => {
    expect(wheel.earliestDeadline()).toBeUndefined();
    wheel.schedule(0, START + 77);
    expect([wheel.earliestDeadline(), wheel.earliestDeadline(), wheel.size]).toEqual([START + 77, START + 77, 1]);
  });

  test('is exact, not rounded to a slot, while nothing was re-armed or cancelled', () => {
    const delays = [3 * YEAR + 1, HOUR + 7, 30 * SECOND + 3, 77, 5, -1000];
    delays.forEach((delay, id) => {
      wheel.schedule(id, START + delay);
      expect(wheel.earliestDeadline()).toBe(START + delay);
    });
  });

  test('[W4] is never late after a re-arm, and catches up when polled', () => {
    wheel.schedule(0, START + 100);
    wheel.schedule(0, START + HOUR);
    expect(wheel.earliestDeadline()).toBeLessThanOrEqual(START + HOUR);
    poll(START + 100);
    expect(wheel.earliestDeadline()).toBe(START + HOUR);
  });
});

describe('broken assumptions', () => {
  test.each([
    [-1, START],
    [1.5, START],
    [NaN, START],
    [ID_MAX + 1, START],
    [0, NaN],
    [0, Infinity],
    [0, START + 0.5],
    [0, 2 ** 53],
  ])('scheduling id %d at %d is refused, and nothing is armed', (id, deadline) => {
    expect(() => {
      wheel.schedule(id, deadline);
    }).toThrow(AssertionError);
    expect(wheel.size).toBe(0);
  });

  test('so is a poll in the past, at no instant, or with a limit that is none', () => {
    poll(START + 10);
    expect(() => poll(START + 9)).toThrow(AssertionError);
    expect(() => poll(NaN)).toThrow(AssertionError);
    expect(() => poll(START + 20, -1)).toThrow(AssertionError);
    expect(() => poll(START + 20, NaN)).toThrow(AssertionError);
  });

  test('so are a tick, a start or a capacity that cannot be', () => {
    for (const tickMs of [0, -10, 0.5, NaN]) {
      expect(() => new KeptDeadlines({ startAt: START, tickMs })).toThrow(AssertionError);
    }
    expect(() => new KeptDeadlines({ startAt: NaN })).toThrow(AssertionError);
    expect(() => new KeptDeadlines({ startAt: START, initialCapacity: -1 })).toThrow(AssertionError);
  });
});
