import { describe, expect, test } from '@jest/globals';
import { SLOW_ASKS_APART_MS } from '../limits.ts';
import { AskPace } from './ask-pace.ts';

describe('the pace of asking for proof', () => {
  test('[C2] the first is asked for at once', () => {
    expect(new AskPace(100).delayMs(5)).toBeLessThanOrEqual(0);
  });

  test('[C2] after one that closed nothing the next waits for the interval, after one that did for a quarter', () => {
    const pace = new AskPace(100);
    pace.asked(1_000);
    expect(pace.delayMs(1_010)).toBe(90);
    pace.boreFruit();
    expect(pace.delayMs(1_010)).toBe(15);
    pace.asked(1_030);
    expect(pace.delayMs(1_040)).toBe(90);
  });

  test('[C2] they are twice as far apart as the last one took, within a bound', () => {
    const pace = new AskPace(100);
    pace.asked(1_000);
    pace.answered(40);
    pace.boreFruit();
    expect(pace.delayMs(1_040)).toBe(40);
    pace.asked(2_000);
    pace.answered(70);
    expect(pace.delayMs(2_070)).toBe(70);
    pace.asked(3_000);
    pace.answered(4_000);
    expect(pace.delayMs(3_000)).toBe(SLOW_ASKS_APART_MS);
  });
});
