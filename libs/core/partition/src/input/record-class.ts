// Classes of input records, decided before anything of a record is applied.
import type { DurationMs, Millis } from '@flatline/base';
import { CLOCK_HEADER, type RecordCursor } from '@flatline/ports';

export interface InputRules {
  readonly timestampType: 'LogAppendTime' | 'CreateTime';
  readonly maxKeyBytes: number;
  /** A stamp further ahead of broker time than this is refused (C6). */
  readonly maxFutureMs: DurationMs;
  /** On CreateTime no record moves the clock further ahead of the present than this (C6). */
  readonly maxLeadMs: DurationMs;
  /** On CreateTime the stream is live while its records are no older than this when read (C2). */
  readonly liveWithinMs: DurationMs;
  /** Partitions among which Kafka's default partitioner spreads keys (I9). Default: keys may lie in any. */
  readonly keyPartitions?: number | undefined;
}

export type StampClass = 'sound' | 'bad-timestamp' | 'future' | 'wrongTimestampType';

/** Classifies a record by its stamp: where the broker stamps, one answer holds for the whole batch. */
export function classifyStamp(cursor: RecordCursor, rules: InputRules, wallNow: Millis): StampClass {
  const { timestamp } = cursor;
  if (cursor.logAppendTime !== (rules.timestampType === 'LogAppendTime')) return 'wrongTimestampType';
  if (timestamp > wallNow + rules.maxFutureMs) return cursor.logAppendTime ? 'future' : 'bad-timestamp';
  // −1 is Kafka's "no timestamp"; nothing of ours counts time before 1970.
  return timestamp < 0 ? 'bad-timestamp' : 'sound';
}

/** Asked of a record without a key. */
export function isClockRecord(cursor: RecordCursor): boolean {
  return (
    cursor.valueLength <= 0 && cursor.hasHeaders && cursor.headers().some((header) => header.name === CLOCK_HEADER)
  );
}
