import { describe, expect, test } from '@jest/globals';
import { type Cancel, type Clock } from '@flatline/base';
import { Wait } from '@flatline/system';

/** A clock whose calls are made by the test. */
function heldClock(): { readonly clock: Clock; readonly calls: Set<() => void> } {
  const calls = new Set<() => void>();
  const after = (_: number, callback: () => void): Cancel => {
    calls.add(callback);
    return () => calls.delete(callback);
  };
  return { clock: { wallMs: () => 0, monotonicMs: () => 0, after }, calls };
}

describe('Wait', () => {
  test('ends with its time, or earlier when woken, and then leaves no call behind', async () => {
    const { clock, calls } = heldClock();
    const wait = new Wait(clock);
    const first = wait.for(10);
    for (const call of calls) call();
    await first;
    calls.clear();
    const second = wait.for(10);
    wait.wake();
    await second;
    expect(calls.size).toBe(0);
  });

  test('a wake-up without a waiter cuts the next pause, and only that', async () => {
    const { clock, calls } = heldClock();
    const wait = new Wait(clock);
    wait.wake();
    await wait.for(10);
    const next = wait.for(10);
    expect(calls.size).toBe(1);
    wait.wake();
    await next;
  });
});
