import type { Millis } from '@flatline/base';

/** Command that fires the window of the record's key (B3). */
export const FLUSH = 'FLUSH';
/** Headers of an item, in decimal: other waits for its window (B1). */
export const WAIT_HEADER = 'flatline-wait-ms';
export const MAX_WAIT_HEADER = 'flatline-max-wait-ms';
/** Milliseconds in decimal; more digits are refused, so that what is read is exact. */
export const WAIT_DIGITS_MAX = 15;

/** Bytes of the longest batch: a topic with Kafka's own `max.message.bytes` takes it, with key and framing. */
export const BATCH_BYTES_MAX = 1_000_000;

/** Why a window was fired. */
export type BatchReason =
  'LEADING' | 'QUIET' | 'WINDOW' | 'MAX_WAIT' | 'MAX_ITEMS' | 'MAX_BYTES' | 'FLUSHED' | 'CANCELLED';

export interface BatchItem {
  readonly offset: number;
  /** As the record is stamped. */
  readonly timestamp: Millis;
  readonly value: Uint8Array;
}

/** A window's items, or a part of them (`schemas/debounced-batch.avsc`): a function of the input, all of it. */
export interface DebouncedBatch {
  readonly key: Uint8Array;
  /** Partition, and offset of the item that opened the window. */
  readonly windowId: string;
  readonly reason: BatchReason;
  readonly openedAt: Millis;
  readonly firedAt: Millis;
  /** From 0. */
  readonly part: number;
  /** True for the last part. */
  readonly last: boolean;
  /** Number of items that the window has taken, and bytes of their values. */
  readonly count: number;
  readonly bytes: number;
  /** Number of items left out of `items` because one like them came later. */
  readonly duplicates: number;
  /** Offsets of the first and the last item taken. */
  readonly firstOffset: number;
  readonly lastOffset: number;
  /** Items that the reducer shows. None if the window was cancelled. */
  readonly items: readonly BatchItem[];
}
