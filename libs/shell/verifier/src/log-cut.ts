// One log as the checker reads it: from its log start to an end chosen once, before which everything is decided.
import { type Clock, type DurationMs, PartitionStopped } from '@flatline/base';
import type { TopicPartition } from '@flatline/ports';
import {
  BrokenBytes,
  type LogPart,
  type LogSource,
  type OpenTransaction,
  type ReadBatches,
  readBatches,
} from '@flatline/oracle';
import type { RecordReader } from '@flatline/kind-modules';
import { type LogScan, unlessAborted } from './stoppable-scan.ts';
import { unpack } from './unpack.ts';

/** Between two looks at a log whose last transaction has not ended. */
const LOOK_AGAIN_MS: DurationMs = 50;

export interface LogCut {
  readonly partition: TopicPartition;
  readonly logStart: number;
  /** Read up to here. */
  readonly end: number;
  readonly hanging: readonly OpenTransaction[];
}

export interface Cutting {
  readonly scan: LogScan;
  readonly clock: Clock;
  /** Longest time for a transaction: one open for longer hangs (V6). */
  readonly transactionMs: DurationMs;
  /** Aborted where the reading is interrupted. */
  readonly signal: AbortSignal;
}

/** Chooses the log's present end, and waits until what lies below is decided, or a transaction hangs. */
export async function cutLog(partition: TopicPartition, cutting: Cutting): Promise<LogCut> {
  const { scan, clock, transactionMs, signal } = cutting;
  const { logStartOffset: logStart, highWatermark } = await scan.bounds(partition);
  const until = clock.monotonicMs() + transactionMs;
  for (;;) {
    const { lastStableOffset } = await scan.bounds(partition);
    // At the last stable offset no transaction is cut in two.
    if (lastStableOffset >= highWatermark) return { partition, logStart, end: lastStableOffset, hanging: [] };
    if (clock.monotonicMs() >= until) {
      const open = await scan.openTransactions(partition);
      const hanging = open.filter(({ firstOffset }) => firstOffset < highWatermark);
      return { partition, logStart, end: lastStableOffset, hanging };
    }
    await pause(clock, LOOK_AGAIN_MS, signal);
  }
}

/** The input: open transactions of its producers are invisible to every reader, and do not matter here. */
export async function cutInput(partition: TopicPartition, { scan }: Pick<Cutting, 'scan'>): Promise<LogCut> {
  const { logStartOffset, lastStableOffset } = await scan.bounds(partition);
  return { partition, logStart: logStartOffset, end: lastStableOffset, hanging: [] };
}

/** The bytes of a log from an offset on, as far as one answer goes. */
export type Stretch = Awaited<ReturnType<LogScan['readBytes']>>;

/**
 * `stretchAt`: the bytes from an offset on. `isInput`: a batch that cannot be unpacked is a record there (I1), and elsewhere the end
 * of the reading.
 */
export function sourceOf<R>(
  { partition, logStart, end, hanging }: LogCut,
  stretchAt: (position: number) => Promise<Stretch>,
  reader: RecordReader<R>,
  isInput = false,
): LogSource<R> {
  let position = logStart;
  const read = async (): Promise<LogPart<R> | undefined> => {
    if (position >= end) return undefined;
    const { batches, records, nextOffset } = batchesIn(partition, position, await stretchAt(position), isInput);
    const wanted = records.filter(({ offset }) => offset < end);
    await reader.prepare(wanted);
    position = nextOffset;
    return {
      records: wanted.map((record) => reader.read(record)),
      batches: batches.filter(({ baseOffset }) => baseOffset < end),
    };
  };
  return { topic: partition.topic, logStart, read, hanging: () => Promise.resolve(hanging) };
}

/** A stretch, and where the next one begins. */
export async function readStretch(
  partition: TopicPartition,
  from: number,
  scan: LogScan,
): Promise<{ readonly stretch: Stretch; readonly nextOffset: number }> {
  const stretch = await scan.readBytes(partition, from);
  return { stretch, nextOffset: batchesIn(partition, from, stretch, false).nextOffset };
}

function batchesIn(
  partition: TopicPartition,
  from: number,
  { bytes, aborted }: Stretch,
  isInput: boolean,
): ReadBatches {
  try {
    return readBatches(bytes, { from, aborted, unpack, isInput });
  } catch (error) {
    if (!(error instanceof BrokenBytes)) throw error;
    const { topic, partition: number } = partition;
    throw new PartitionStopped(`${topic}-${number} cannot be read from offset ${from} on: it ${error.message}`, error);
  }
}

/** @throws the signal's reason as soon as it is aborted. */
export function pause(clock: Clock, ms: DurationMs, signal: AbortSignal): Promise<void> {
  return unlessAborted(
    new Promise((resolve) => {
      clock.after(ms, resolve);
    }),
    signal,
  );
}
