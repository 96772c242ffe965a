// Waits for a group to commit all of an input.
import type { DurationMs } from '@flatline/base';
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_MS: DurationMs = 20;
const PATIENCE_MS: DurationMs = 600_000;

/** Resolves when the committed offset of each partition has reached its end. @throws Error if that takes too long */
export async function untilCommitted(
  ends: readonly number[],
  committedOffset: (index: number) => Promise<{ readonly offset: number } | undefined>,
): Promise<void> {
  const giveUpAtMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const offsets = await Promise.all(ends.map(async (_, index) => (await committedOffset(index))?.offset ?? 0));
    if (offsets.every((offset, index) => offset >= ends[index]!)) return;
    if (performance.now() > giveUpAtMs) throw new Error(`stuck at ${offsets.join(', ')} of ${ends.join(', ')}`);
    await delay(LOOK_MS);
  }
}
