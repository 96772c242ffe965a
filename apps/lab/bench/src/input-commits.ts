// Waits for a group to commit all of an input.
import type { DurationMs } from '@flatline/base';
import type { GroupProgress } from '@flatline/kafka';
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_MS: DurationMs = 20;
const PATIENCE_MS: DurationMs = 600_000;

/** Resolves when the committed offset of each partition has reached its end. @throws Error if that takes too long */
export async function untilCommitted(
  ends: readonly number[],
  progress: Pick<GroupProgress, 'committed'>,
): Promise<void> {
  const giveUpAtMs = performance.now() + PATIENCE_MS;
  for (;;) {
    // One request for all partitions: it shares the cores, and the broker, with what is measured.
    const offsets = await progress.committed();
    if (offsets.every((offset, index) => offset >= ends[index]!)) return;
    if (performance.now() > giveUpAtMs) throw new Error(`stuck at ${offsets.join(', ')} of ${ends.join(', ')}`);
    await delay(LOOK_MS);
  }
}
