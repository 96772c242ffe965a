// Waits until the marks of every former replay can be read in a partition of a dead-letter topic.
import { type Clock, type DurationMs, Retriable } from '@flatline/base';
import type { TopicPartition } from '@flatline/ports';
import { patiently } from '@flatline/system';
import type { LetterSource } from './letter-scan.ts';

export interface Waiting {
  readonly clock: Clock;
  readonly withinMs: DurationMs;
}

/**
 * Once the writer of replays is opened, its former marks lie below the high watermark, but only what is below the last stable
 * offset can be read, and an open transaction of a task, which need not be alive, holds that back. @throws Retriable, Fatal
 */
export async function untilSettled(
  scan: Pick<LetterSource, 'bounds'>,
  place: TopicPartition,
  { clock, withinMs }: Waiting,
): Promise<void> {
  // Later records are no marks of a former replay.
  const { lastStableOffset, highWatermark } = await scan.bounds(place);
  if (lastStableOffset >= highWatermark) return;
  const name = `${place.topic}-${place.partition}`;
  const attempt = async (): Promise<void> => {
    const { lastStableOffset: reached } = await scan.bounds(place);
    if (reached < highWatermark)
      throw new StillOpen(
        `${name} has an open transaction at offset ${reached}, behind which is not known yet what was replayed: try again`,
      );
  };
  await patiently(clock, { ...DELAYS, limitMs: withinMs }, attempt, (error) => error instanceof StillOpen);
}

const DELAYS = { firstMs: 20, mostMs: 500 } as const;

class StillOpen extends Retriable {}
