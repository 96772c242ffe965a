// Lengths of time as people write them: "250ms", "10s", "30m", "12h", "7d".
import type { DurationMs } from './time.ts';

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** As a length of time in milliseconds may be written beside its number. */
export type WrittenDuration = `${number}${keyof typeof UNIT_MS}`;

export const WRITTEN_DURATION = /^(\d+(?:\.\d+)?) ?(ms|s|m|h|d)$/;

/** undefined: it is none. What comes to no whole number of milliseconds is for the caller to refuse. */
export function millisecondsIn(text: string): DurationMs | undefined {
  const [, amount, unit] = WRITTEN_DURATION.exec(text) ?? [];
  if (amount === undefined || unit === undefined) return undefined;
  // "0.1s" is 100 ms, and not a ten-millionth more.
  return Number((Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS]).toPrecision(15));
}
