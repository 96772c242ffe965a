import { describe, expect, test } from '@jest/globals';
import { VirtualTime } from './virtual-time.ts';

describe('virtual time', () => {
  test('VT1 moves only as far as it is told', async () => {
    const time = new VirtualTime();
    await time.settle();
    expect(time.nowMs).toBe(0);
    await time.runFor(250);
    expect(time.nowMs).toBe(250);
    expect(time.nowMicros).toBe(250_000);
  });

  test('VT2 runs events by instant, those of one instant as scheduled', async () => {
    const time = new VirtualTime();
    const seen: string[] = [];
    for (const [delay, name] of [
      [3, 'c'],
      [1, 'a1'],
      [2.5, 'b'],
      [1, 'a2'],
      [0, 'first'],
    ] as const) {
      time.after(delay, () => seen.push(`${name}@${time.nowMicros}`));
    }
    await time.runFor(3);
    expect(seen).toEqual(['first@0', 'a1@1000', 'a2@1000', 'b@2500', 'c@3000']);
  });

  test('VT2 keeps the order of many events against a sorted list', async () => {
    const time = new VirtualTime();
    const seen: number[] = [];
    const delays = Array.from({ length: 500 }, (_, index) => (index * 7919) % 101);
    delays.forEach((delay, index) => time.after(delay, () => seen.push(index)));
    await time.runFor(101);
    const expected = delays
      .map((delay, index) => ({ delay, index }))
      .sort((a, b) => a.delay - b.delay || a.index - b.index);
    expect(seen).toEqual(expected.map(({ index }) => index));
  });

  test('VT3 lets the longest promise chain make its way between two events of one instant', async () => {
    const time = new VirtualTime();
    const seen: string[] = [];
    time.after(1, () => {
      void (async () => {
        for (let step = 0; step < 1_000; step += 1) await Promise.resolve();
        seen.push('chain');
      })();
    });
    time.after(1, () => seen.push('second event'));
    await time.runFor(1);
    expect(seen).toEqual(['chain', 'second event']);
  });

  test('an event may schedule, cancel and be cancelled', async () => {
    const time = new VirtualTime();
    const seen: string[] = [];
    const cancel = time.after(5, () => seen.push('cancelled'));
    time.after(1, () => {
      cancel();
      time.after(1, () => seen.push('nested'));
    });
    await time.runFor(10);
    cancel();
    expect(seen).toEqual(['nested']);
  });

  test('runUntil stops at the event that made it true, and gives up at its end', async () => {
    const time = new VirtualTime();
    let count = 0;
    const tick = (): void => {
      count += 1;
      time.after(10, tick);
    };
    time.after(10, tick);
    expect(await time.runUntil(() => count === 3, 1_000)).toBe(true);
    expect(time.nowMs).toBe(30);
    expect(await time.runUntil(() => false, 100)).toBe(false);
    expect(time.nowMs).toBe(130);
  });

  test('complete gives value, rejection, or says that nothing came', async () => {
    const time = new VirtualTime();
    const inSevenMs = new Promise<void>((resolve) => time.after(7, resolve));
    const refused = inSevenMs.then(() => {
      throw new Error('refused');
    });
    expect(await time.complete(inSevenMs.then(() => 'value'))).toBe('value');
    expect(time.nowMs).toBe(7);
    await expect(time.complete(refused)).rejects.toThrow('refused');
    await expect(time.complete(new Promise(() => undefined), 50)).rejects.toThrow('did not settle');
  });

  test('what re-arms itself without delay for ever is found out', async () => {
    const time = new VirtualTime();
    const again = (): void => {
      time.after(0, again);
    };
    again();
    await expect(time.runFor(1)).rejects.toThrow('time stands still');
  });

  test('VT4 two runs at once are refused', async () => {
    const time = new VirtualTime();
    const first = time.runFor(10);
    await expect(time.runFor(10)).rejects.toThrow('one run at a time');
    await first;
  });
});
