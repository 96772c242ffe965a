import type { DurationMs, Millis } from '@flatline/base';
import type { SeenClose } from '../close-watch.ts';

export interface Pause {
  readonly longestGapMs: DurationMs;
  /** From the departure to the close that ends the longest gap. */
  readonly gapEndsMs: DurationMs;
  /** From the deadline of the latest close to its being seen. */
  readonly latestMs: DurationMs;
}

/** What a departure did to the closes of one partition, from `marginMs` before it. Those closes follow each other all the time. */
export function pauseOf(closes: readonly SeenClose[], departedAt: Millis, marginMs: DurationMs): Pause {
  const around = closes.filter(({ seenAt }) => seenAt >= departedAt - marginMs);
  const gaps = around.slice(1).map(({ seenAt }, i) => ({ ms: seenAt - around[i]!.seenAt, endsAt: seenAt }));
  const longest = gaps.reduce((most, gap) => (gap.ms > most.ms ? gap : most), { ms: 0, endsAt: departedAt });
  return {
    longestGapMs: longest.ms,
    gapEndsMs: longest.endsAt - departedAt,
    latestMs: Math.max(0, ...around.map(({ seenAt, deadlineAt }) => seenAt - deadlineAt)),
  };
}
