// Presents a simulated log to its judges as a scan of a real one would.
import type { LogBatch, LogRecord, Marker } from './log-batch.ts';

/** The fields of a batch's header that name its writer. */
export interface ScannedBatch {
  readonly baseOffset: number;
  readonly lastOffset: number;
  /** −1: not of an idempotent producer. */
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

/** `lastOffset`: set if it stands for a batch that cannot be unpacked. */
export function scannedRecord(record: LogRecord): LogRecord & { readonly lastOffset?: number } {
  const { offset, unreadable } = record;
  return unreadable === undefined ? record : { ...record, lastOffset: offset + unreadable - 1 };
}
