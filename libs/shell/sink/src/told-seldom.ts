import type { Clock, DurationMs } from '@flatline/base';

const TELL_AGAIN_MS: DurationMs = 30_000;

/** Tells of the first within TELL_AGAIN_MS: what is away fills no log. */
export function toldSeldom(clock: Clock, tell: (why: string) => void): (why: string) => void {
  let toldAtMs: DurationMs = -Infinity;
  return (why) => {
    const now = clock.monotonicMs();
    if (now - toldAtMs < TELL_AGAIN_MS) return;
    toldAtMs = now;
    tell(why);
  };
}
