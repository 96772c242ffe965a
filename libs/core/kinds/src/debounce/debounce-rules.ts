import type { DurationMs } from '@flatline/base';
import type { StateReducer } from '../reducing/index.ts';
import type { DebounceReducer } from './custom-reducer.ts';

export { BATCH_BYTES_MAX } from '@flatline/ports/formats';

/** When a window fires by time (B1). */
export type DebounceMode = 'trailing' | 'window' | 'leading';

/** Treatment of a window that one record cannot hold (B3). */
export type OnOversize = 'flush' | 'split';

/** Part of a window's items that its batch shows (B3). */
export type Reducer = 'all' | 'first' | 'last' | 'count' | 'custom';

/** The debounce options of a pipeline, validated by the configuration. */
export interface DebounceRules {
  readonly mode: DebounceMode;
  readonly waitMs: DurationMs;
  /** Longer than `waitMs`; 0: none. */
  readonly maxWaitMs: DurationMs;
  /** At most WINDOW_ITEMS_MAX. */
  readonly maxItems: number;
  /** Bound on the sum of the values' lengths, at most WINDOW_BYTES_MAX. */
  readonly maxBytes: number;
  readonly onOversize: OnOversize;
  /** Bound on what the parts of one window take together. */
  readonly maxPartsBytes: number;
  readonly reducer: Reducer;
  /** The function of `custom`. */
  readonly reduce: DebounceReducer | undefined;
  /** The reducer of `custom` where that has a state of its own (S10); then there is no function. undefined: it has none. */
  readonly reduced?: StateReducer | undefined;
  /** A JSON pointer, or a header's name: of the items of a window that have the same there, the last one is shown (B2). */
  readonly dedupeBy: string | undefined;
}

/** Items of one window: as many as its head can count. */
export const WINDOW_ITEMS_MAX = 1_000_000;
/** Bytes of one window's values: with what else an item takes they are state of one entry. */
export const WINDOW_BYTES_MAX = 48 * 1024 * 1024;
/** Bytes of all parts of one window: a commit of more has no memory to be made in. Values that are no JSON may take as many. */
export const WINDOW_PARTS_BYTES_MAX = 128 * 1024 * 1024;
/** State of one window, with what items have beside their values: a fifteenth is left of what the pages of one entry hold. */
export const WINDOW_STATE_BYTES_MAX = 60 * 1024 * 1024;
/** The longest wait that a record may ask for where `maxWaitMs` is 0: a hundred years of 365 days. */
export const WAIT_MAX_MS: DurationMs = 3_153_600_000_000;
