// The batches of a partition's log, each data of one producer or one control marker.
import { hashBytes, type Millis } from '@flatline/base';
import type { OutgoingRecord, RecordHeader } from '@flatline/ports';

export interface LogRecord {
  readonly offset: number;
  readonly timestamp: Millis;
  /** True if the broker stamped its batch. */
  readonly logAppendTime: boolean;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: readonly RecordHeader[];
  /** Set if it is not a record but a batch of this many that cannot be unpacked: they take the offsets from its own on. */
  readonly unreadable?: number | undefined;
}

/** Writer of a batch, if the producer is idempotent or transactional. */
export interface BatchProducer {
  readonly producerId: number;
  readonly epoch: number;
  /** Sequence number of the batch's first record; −1 for a marker. */
  readonly baseSequence: number;
  readonly transactional: boolean;
}

export type Marker = 'commit' | 'abort';

export interface LogBatch {
  readonly baseOffset: number;
  /** Fixed when written: records may be removed from a batch, but its offsets stay. */
  readonly lastOffset: number;
  readonly records: readonly LogRecord[];
  readonly producer: BatchProducer | undefined;
  /** Set on control batches; they have no records and take up one offset. */
  readonly marker: Marker | undefined;
  readonly leaderEpoch: number;
  readonly maxTimestamp: Millis;
  readonly logAppendTime: boolean;
  /** 32 bits over contents and place, unsigned like CRC-32C. */
  readonly checksum: number;
  readonly byteLength: number;
}

/** Bytes of Kafka's batch header, and approximate bytes of a record beside key and value. */
const BATCH_OVERHEAD_BYTES = 61;
const RECORD_OVERHEAD_BYTES = 10;

const recordBytes = (record: OutgoingRecord): number =>
  RECORD_OVERHEAD_BYTES + (record.key?.length ?? 0) + (record.value?.length ?? 0) + headersBytes(record);

/** Each header adds two lengths. */
const headersBytes = ({ headers = [] }: OutgoingRecord): number =>
  headers.reduce((sum, { name, value }) => sum + 2 + name.length + (value?.length ?? 0), 0);

export const batchBytes = (records: readonly OutgoingRecord[]): number =>
  records.reduce((sum, record) => sum + recordBytes(record), BATCH_OVERHEAD_BYTES);

/** Copies: a caller that reuses its buffers after sending must not change the log. */
export function toLogRecord(
  record: OutgoingRecord,
  { offset, timestamp, logAppendTime }: Pick<LogRecord, 'offset' | 'timestamp' | 'logAppendTime'>,
): LogRecord {
  return {
    offset,
    timestamp,
    logAppendTime,
    key: record.key === null ? null : record.key.slice(),
    value: record.value === null ? null : record.value.slice(),
    headers: (record.headers ?? []).map(({ name, value }) => ({ name, value: value === null ? null : value.slice() })),
  };
}

/** The record that stands for a batch that cannot be unpacked. */
export function unreadableBatch(
  records: number,
  place: Pick<LogRecord, 'offset' | 'timestamp' | 'logAppendTime'>,
): LogRecord {
  return { ...place, key: null, value: null, headers: [], unreadable: records };
}

export function batchChecksum(records: readonly LogRecord[], salt: number): number {
  let sum = salt;
  for (const record of records) {
    for (const part of [record.key, record.value]) {
      if (part !== null) sum = hashBytes(part, 0, part.length, sum);
      sum = Math.imul(sum ^ record.timestamp, 0x9e3779b1);
    }
  }
  return sum >>> 0;
}
