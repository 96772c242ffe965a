// One sequence window out of two, of the same source in two sessions that turn out to be one (C7).
//
// Exact but for what windows do not hold: an event that came in both, further below the greatest than a window is wide, counts
// as two that were received; and a restart is seen only by a fall beyond the window.
import { COUNT_MAX, MISSING_MAX, RESTARTS_MAX } from './counts.ts';
import { missingCount, type SequenceWindow, WINDOW_WIDTH } from './sequence-window.ts';

/** `earlier`: of the session whose time comes first. */
export function joinWindows(earlier: SequenceWindow, later: SequenceWindow): SequenceWindow {
  const restarts = earlier.restarts + later.restarts;
  if (earlier.highest - later.lowest >= WINDOW_WIDTH)
    return {
      ...later,
      missingBefore: Math.min(missingCount(earlier) + later.missingBefore, MISSING_MAX),
      restarts: Math.min(restarts + 1, RESTARTS_MAX),
    };
  const [upper, lower] = later.highest >= earlier.highest ? [later, earlier] : [earlier, later];
  const shifted = shiftedBy(lower, upper.highest - lower.highest);
  const seenTwice = bitsOf(upper.seenLow & shifted.seenLow) + bitsOf(upper.seenHigh & shifted.seenHigh);
  const lowest = Math.min(upper.lowest, lower.lowest);
  const { highest } = upper;
  const received = Math.min(upper.received + lower.received - seenTwice, highest - lowest + 1, COUNT_MAX);
  return {
    lowest,
    highest,
    seenLow: (upper.seenLow | shifted.seenLow) >>> 0,
    seenHigh: (upper.seenHigh | shifted.seenHigh) >>> 0,
    received,
    missingBefore: Math.min(upper.missingBefore + lower.missingBefore, MISSING_MAX),
    restarts: Math.min(restarts, RESTARTS_MAX),
  };
}

/** Its bits in a window whose greatest number is so much greater. */
function shiftedBy({ seenLow, seenHigh }: SequenceWindow, by: number): { seenLow: number; seenHigh: number } {
  if (by === 0) return { seenLow, seenHigh };
  if (by >= WINDOW_WIDTH) return { seenLow: 0, seenHigh: 0 };
  if (by >= 32) return { seenLow: 0, seenHigh: by === 32 ? seenLow : (seenLow << (by - 32)) >>> 0 };
  return { seenLow: (seenLow << by) >>> 0, seenHigh: ((seenHigh << by) | (seenLow >>> (32 - by))) >>> 0 };
}

function bitsOf(word: number): number {
  let bits = 0;
  for (let rest = word >>> 0; rest !== 0; rest = (rest & (rest - 1)) >>> 0) bits += 1;
  return bits;
}
