import { describe, expect, test } from '@jest/globals';
import { AskPace } from './ask-pace.ts';

describe('the pace of asking for proof', () => {
  test('[C2] the first is asked for at once', () => {
    expect(new AskPace(100).delayMs(5, 0)).toBeLessThanOrEqual(0);
  });

  test('[C2] after one that closed nothing the next waits for the interval, after one that did for a quarter', () => {
    const pace = new AskPace(100);
    pace.asked(1_000, 7);
    expect(pace.delayMs(1_010, 7)).toBe(90);
    expect(pace.delayMs(1_010, 8)).toBe(15);
    pace.asked(1_030, 8);
    expect(pace.delayMs(1_040, 8)).toBe(90);
  });
});
