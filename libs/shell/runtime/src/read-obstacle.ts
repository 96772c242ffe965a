import type { DurationMs } from '@flatline/base';
import type { LogSubscription } from '@flatline/ports';
import { READ_OBSTACLE_MIN_MS } from './limits.ts';

/** Obstacle to reading a log that has lasted READ_OBSTACLE_MIN_MS or longer, in words for operators (X5). */
export function readObstacle(
  log: 'input' | 'changelog',
  { obstacle }: LogSubscription,
  monotonicNow: DurationMs,
): string | undefined {
  if (obstacle === undefined) return undefined;
  const lastedMs = monotonicNow - obstacle.sinceMs;
  if (lastedMs < READ_OBSTACLE_MIN_MS) return undefined;
  return `reading the ${log}, which waits for ${obstacle.what}, for ${Math.round(lastedMs)} ms`;
}
