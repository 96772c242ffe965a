import { describe, expect, it } from '@jest/globals';
import { VirtualTime, type Waker } from './virtual-time.ts';

/** Is due each `everyMs`, and notes when it was woken. */
class Ticker implements Waker {
  readonly #everyMs: number;
  readonly #woken: string[];
  wakesAt: number;

  constructor(everyMs: number, woken: string[]) {
    this.#everyMs = everyMs;
    this.#woken = woken;
    this.wakesAt = everyMs;
  }

  wake(now: number): void {
    this.#woken.push(`${now} of ${this.#everyMs}`);
    this.wakesAt = now + this.#everyMs;
  }
}

describe('virtual time', () => {
  it('stops wherever something is due, in order', () => {
    const woken: string[] = [];
    const time = new VirtualTime(0);
    time.pass([new Ticker(3, woken), new Ticker(2, woken)], 6);
    expect(woken).toEqual(['2 of 2', '3 of 3', '4 of 2', '6 of 3', '6 of 2']);
    expect(time.now).toBe(6);
  });

  it('wakes once behind a jump, then as before', () => {
    const woken: string[] = [];
    const time = new VirtualTime(0);
    time.jump(10);
    time.pass([new Ticker(4, woken)], 15);
    expect(woken).toEqual(['10 of 4', '14 of 4']);
  });

  it('says where more is due in a stretch than a test can have meant, and how far it came', () => {
    const woken: string[] = [];
    const time = new VirtualTime(0, 5);
    expect(() => {
      time.pass([new Ticker(100, woken)], 1_000);
    }).toThrow('something is due more than 5 times in that time, the last time at 1970-01-01T00:00:00.500Z');
    expect(time.now).toBe(500);
  });
});
