// What a processor does where a log is not the one it knows.
import type { Child } from '../stage/child.ts';
import { elapse } from '../stage/elapse.ts';

const REFUSES_WITHIN_MS = 30_000;

/** Every partition stops for its operator, or the process ends and says why. */
export async function refuses(processor: Child, partitions: number): Promise<boolean> {
  for (let looks = 0; looks < REFUSES_WITHIN_MS / 100; looks += 1) {
    const stopped = processor.said(/partition stopped/).length;
    if (stopped >= partitions) return true;
    if (processor.ending !== undefined) return processor.ending.code !== 0 && processor.ending.signal === null;
    await elapse(100);
  }
  return false;
}
