// The arithmetic of the hierarchy: which bucket holds a tick, seen from the cursor. Pure, no state.
//
// A tick is `ceil(deadline / tickMs)`, counted from the epoch. Every level has 256 slots and each level's slots are 16 times
// as wide as those of the level below, so neighbouring levels overlap:
//
//   level   slot width     reach      at a tick of 10 ms: width, reach
//     0     1 tick         256        10 ms       2.56 s
//     1     16             4096       160 ms      41 s
//     2     256            65 536     2.56 s      11 min
//     3     4096           1 M        41 s        2.9 h
//     4     65 536         16.8 M     11 min      46 h
//     5     1 M            268 M      2.9 h       31 days
//    ...
//    12     2^48           2^56       more than any two safe integers are apart
//
// With levels that only abut (width x 256 per level) a delay just beyond a level's reach would share one slot with everything up to
// twice as far, and its cascade would move nearly every timer at once. Overlapping, a slot above level 0 is never wider than a
// fifteenth of the delay that put a timer there, and since a cascade skips the overlap (16 x 16 = 256, two levels at a time) no
// timer cascades more often for it. The overlap is that of the Linux kernel's wheel (kernel/time/timer.c, since 4.8).

/** Slots per level; a power of two, and what the masks and shifts below are made for. */
export const SLOTS = 256;
/** Levels; the uppermost reaches 2^56 ticks, so every safe integer has a place and no overflow list is needed. */
export const LEVELS = 13;
/** How many buckets the levels have together; bucket = level x SLOTS + slot index. */
export const LEVEL_BUCKETS = LEVELS * SLOTS;

const WIDENING = 16;
/** Exact, being powers of two: multiplying by them is dividing by the slot width, without the division. */
const perWidth = Float64Array.from({ length: LEVELS }, (_, level) => WIDENING ** -level);
const LEVELS_PER_24_BITS = 6;

/**
 * The first tick at which `deadline` has passed: rounds up, so that nothing fires early.
 * Exact for every safe integer: a remainder is at least 1 / tickMs, more than half the spacing of doubles at the quotient.
 */
export function tickAtOrAfter(deadline: number, tickMs: number): number {
  return Math.ceil(deadline / tickMs);
}

/** The last tick that `now` has reached: rounds down, for the same reason. */
export function tickAtOrBefore(now: number, tickMs: number): number {
  return Math.floor(now / tickMs);
}

/** Number of the level's slot that holds `tick`, counted from the epoch (the index in the level is this modulo SLOTS). */
export function slotOf(tick: number, level: number): number {
  return Math.floor(tick * perWidth[level]!);
}

/** First tick of a slot. */
export function slotStart(slot: number, level: number): number {
  return slot / perWidth[level]!;
}

/** How many slots beyond `slot` the next one with this index in its level is, 0 to SLOTS - 1. */
export function slotsAhead(slot: number, index: number): number {
  // Masked before subtracting: the difference of the far ends of the safe integers would not be exact.
  return (index - (slot & (SLOTS - 1))) & (SLOTS - 1);
}

/** The lowest level with `delta < SLOTS x width`; `delta` in ticks, at least 0. */
export function levelFor(delta: number): number {
  if (delta < SLOTS) return 0;
  if (delta < 2 ** 31) return (27 - Math.clz32(delta)) >> 2;
  return LEVELS_PER_24_BITS + levelFor(Math.floor(delta / 2 ** 24));
}

/**
 * The bucket for a `tick` beyond the `cursor`. Its slot lies 1 to SLOTS - 1 slots beyond the cursor's own slot of that level:
 * never in the cursor's (a slot there is one being emptied), and never a full turn ahead, where it would share its index.
 */
export function bucketFor(tick: number, cursor: number): number {
  let level = levelFor(tick - cursor);
  let slot = slotOf(tick, level);
  // Less than SLOTS widths ahead may still be SLOTS slots ahead: the cursor stands somewhere within its own.
  if (slot - slotOf(cursor, level) >= SLOTS) {
    level += 1;
    slot = slotOf(tick, level);
  }
  return level * SLOTS + (slot & (SLOTS - 1));
}
