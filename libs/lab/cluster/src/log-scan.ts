// A simulated log as a scan of a real one would tell of it: what its judges read.
import type { LogBatch, LogRecord, Marker } from './log-batch.ts';

/** The header of a batch, as far as it says who wrote it. */
export interface ScannedBatch {
  readonly baseOffset: number;
  readonly lastOffset: number;
  /** −1: of no idempotent producer. */
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly transactional: boolean;
  readonly marker: Marker | undefined;
}

export function scannedBatch({ baseOffset, lastOffset, producer, marker }: LogBatch): ScannedBatch {
  return {
    baseOffset,
    lastOffset,
    marker,
    producerId: producer?.producerId ?? -1,
    producerEpoch: producer?.epoch ?? -1,
    transactional: producer?.transactional ?? marker !== undefined,
  };
}

/** `lastOffset` is set where it stands for a batch that cannot be unpacked. */
export function scannedRecord(record: LogRecord): LogRecord & { readonly lastOffset?: number } {
  const { offset, unreadable } = record;
  return unreadable === undefined ? record : { ...record, lastOffset: offset + unreadable - 1 };
}
