import type { Clock, DurationMs } from '@flatline/base';
import { pause } from './pause.ts';

/** Calls `look` at once and then every `everyMs` until `waited` is settled; what it rejects with is thrown. */
export async function whileWaiting<T>(
  waited: Promise<T>,
  { clock, everyMs }: { readonly clock: Clock; readonly everyMs: DurationMs },
  look: () => void,
): Promise<T> {
  const looking = new AbortController();
  const settled = waited.finally(() => {
    looking.abort();
  });
  // A rejection is thrown below; here it only ends the looking.
  settled.catch(() => undefined);
  while (!looking.signal.aborted) {
    look();
    await pause(clock, everyMs, looking.signal);
  }
  return settled;
}
