// The end of a trial: sentinels into every partition, and the wait until everything due is closed.
import { openSummaryConsumer, type OutputRecord } from '@flatline/client/parts';
import type { InputTruth } from '@flatline/oracle';
import { systemClock } from '@flatline/system';
import { hasAllEnded, hasEnded, isAllDone, judgeFurther } from '../check/judgement.ts';
import type { Application } from '../stage/application.ts';
import { sleep } from '../stage/sleep.ts';
import { topicEnds } from '../stage/topic-dump.ts';
import { produce } from '../stage/topic-records.ts';

/** Longer than any wait of the product: the broker's transaction timeout, a group's session, a coordinator's move. */
export const QUIESCENCE_MAX_MS = 90_000;
/** Append times are rounded to milliseconds. */
const SENTINEL_MARGIN_MS = 50;
/** Between two looks at whole logs: each reads and judges them all, and takes time from the processors. */
const LOOK_MS = 500;

const sentinelKey = (partition: number): string => `sentinel-${partition}`;

/** By partition, the first offset at which its sentinel may lie. */
export type Sentinels = readonly number[];

/**
 * To be called when the load has ended and faults are healed: waits out the timeout, and writes a record to every partition.
 * With them every session of the load is provably silent, whatever any clock says (V2).
 */
export async function writeSentinels(application: Application): Promise<Sentinels> {
  const { kafka, input, partitions, timeoutMs } = application;
  await sleep(timeoutMs + SENTINEL_MARGIN_MS);
  const ends = await topicEnds(kafka, input, partitions);
  await produce(
    application,
    Array.from({ length: partitions }, (_, partition) => ({
      partition,
      key: Buffer.from(sentinelKey(partition)),
      value: new Uint8Array(),
    })),
  );
  return ends.map(({ end }) => end);
}

/**
 * Resolves when the sentinels are closed, by the processors' own proof of silence, and with them everything else that is due
 * (V2): no session is alive any more. Or when waiting longer makes no sense.
 */
export async function awaitCloses(
  application: Application,
  sentinels: Sentinels,
  { withinMs, truth }: { readonly withinMs: number; readonly truth?: InputTruth | undefined },
): Promise<{ readonly waitedMs: number; readonly quiescent: boolean }> {
  const since = performance.now();
  const waitedMs = (): number => performance.now() - since;
  let quiescent = await areBuried(application, sentinels, withinMs);
  // Expiries are drained in slices: a sentinel's need not be the last.
  while (quiescent && !(await isAllDone(application, truth))) {
    await sleep(LOOK_MS);
    quiescent = waitedMs() < withinMs;
  }
  return { waitedMs: waitedMs(), quiescent };
}

/**
 * For other kinds: resolves when nothing lives any more, by the processors' own proof of silence, and all is read. To be called
 * when the load has ended: then everything alive is due within some seconds.
 */
export function awaitEndings(
  application: Application,
  { withinMs }: { readonly withinMs: number },
): Promise<{ readonly waitedMs: number; readonly quiescent: boolean }> {
  return awaitAll(() => hasAllEnded(application), withinMs);
}

/** The same of the pipelines beside it, one after the other: what one brings about is in the next. */
export async function awaitFurther(application: Application, withinMs: number): Promise<boolean> {
  for (const pipeline of application.further) {
    const { quiescent } = await awaitAll(() => hasEnded(() => judgeFurther(application, pipeline)), withinMs);
    if (!quiescent) return false;
  }
  return true;
}

async function awaitAll(
  isOver: () => Promise<boolean>,
  withinMs: number,
): Promise<{ readonly waitedMs: number; readonly quiescent: boolean }> {
  const since = performance.now();
  const waitedMs = (): number => performance.now() - since;
  for (;;) {
    const begunMs = waitedMs();
    const quiescent = await isOver();
    if (quiescent || waitedMs() >= withinMs) return { waitedMs: waitedMs(), quiescent };
    // A look at long logs takes seconds, and the processors need the machine, too.
    await sleep(Math.max(LOOK_MS, waitedMs() - begunMs));
  }
}

/** Follows the output until it has a tombstone of each sentinel; false if that takes longer. */
async function areBuried({ kafka, output }: Application, sentinels: Sentinels, withinMs: number): Promise<boolean> {
  const { consumer, close } = await openSummaryConsumer({ kafka, topic: output, from: 'beginning' });
  const limit = systemClock.after(withinMs, () => {
    consumer.close();
  });
  const open = new Set(sentinels.keys());
  try {
    for (let record = await consumer.next(); record !== undefined; record = await consumer.next()) {
      if (buries(record, sentinels)) open.delete(record.partition);
      if (open.size === 0) return true;
    }
    return false;
  } finally {
    limit();
    await close();
  }
}

function buries(record: OutputRecord, sentinels: Sentinels): boolean {
  if (record.kind !== 'tombstone') return false;
  const { partition, key, incarnation = '' } = record;
  const firstOffset = Number(incarnation.slice(incarnation.indexOf('-') + 1));
  return Buffer.from(key).toString() === sentinelKey(partition) && firstOffset >= sentinels[partition]!;
}
