// Held time (C8) as worlds draw it.
import type { DurationMs, Random } from '@flatline/base';
import type { KindScenario } from './common-rules.ts';
import { oneOf } from './one-of.ts';

type HeldTime = NonNullable<KindScenario['heldTime']>;

/** Defaults of a pipeline without settings for it. */
export function heldByDefault(timeoutMs: DurationMs): HeldTime {
  return { unheardMs: timeoutMs / 2, maxHoldMs: 600_000 };
}

export function drawHeldTime(random: Random): HeldTime {
  const unheardMs = oneOf(random, [1_500, 4_000]);
  return { unheardMs, maxHoldMs: oneOf(random, [1_000, 3_600_000]) };
}
