import { expect, test } from '@jest/globals';
import { Gate } from './gate.ts';

test('[N4] at most maxInFlight are under way, and whoever waits is told when one has ended', () => {
  const gate = new Gate({ maxInFlight: 2, maxPerSecond: undefined });
  let told = 0;
  const unlisten = gate.onFree(() => {
    told += 1;
  });
  expect([gate.enter(0), gate.enter(0), gate.enter(0)]).toEqual([true, true, false]);
  expect(gate.freeAt()).toBeUndefined();
  gate.leave();
  expect(told).toBe(1);
  expect(gate.enter(0)).toBe(true);
  unlisten();
  gate.leave();
  expect(told).toBe(1);
});

test.each([1, 7, 100, 5_000])(
  '[N4] of %i per second no more begin in any second, but for a burst of 50 ms',
  (maxPerSecond) => {
    const gate = new Gate({ maxInFlight: 1_000_000, maxPerSecond });
    const begun: number[] = [];
    for (let now = 0; now < 5_000; now += 1) while (gate.enter(now)) begun.push(now);
    let most = 0;
    for (let last = 0, first = 0; last < begun.length; last += 1) {
      while (begun[first]! <= begun[last]! - 1_000) first += 1;
      most = Math.max(most, last - first + 1);
    }
    expect(most).toBeLessThanOrEqual(Math.ceil(maxPerSecond * 1.05) + 1);
    expect(begun.length).toBeGreaterThan(maxPerSecond * 4.9);
  },
);

test('[N4] a clock that is put back by an hour stops nothing', () => {
  const gate = new Gate({ maxInFlight: 8, maxPerSecond: 10 });
  expect(gate.enter(10 * 3_600_000)).toBe(true);
  expect(gate.enter(9 * 3_600_000)).toBe(true);
  expect(gate.freeAt()).toBeLessThan(9 * 3_600_000 + 1_000);
});

test('[N4] there is room for as many as may begin now, and with a rate for one after the other', () => {
  const gate = new Gate({ maxInFlight: 2, maxPerSecond: undefined });
  const rooms = [gate.room(0)];
  for (let i = 0; i < 2; i += 1) {
    gate.enter(0);
    rooms.push(gate.room(0));
  }
  expect(rooms).toEqual([2, 1, 0]);
  const paced = new Gate({ maxInFlight: 2, maxPerSecond: 10 });
  expect([paced.room(1_000), paced.enter(1_000)]).toEqual([1, true]);
  expect([paced.room(1_001), paced.room(paced.freeAt()!)]).toEqual([0, 1]);
});
