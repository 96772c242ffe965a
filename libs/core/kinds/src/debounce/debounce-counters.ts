import type { BatchReason } from '@flatline/ports/formats';
import type { CounterOf, KindCounters } from '../contract.ts';

/** Counters of debounced windows in a task since it was created. */
export interface DebounceCounters extends KindCounters {
  itemsAccepted: number;
  windowsOpened: number;
  /** Cancels and flushes that met no window. */
  unmatchedCommands: number;
  /** Waits asked for that were clamped (B1). */
  clampedWaits: number;
  windowsLeading: number;
  windowsQuiet: number;
  windowsByWindow: number;
  windowsByMaxWait: number;
  windowsByMaxItems: number;
  windowsByMaxBytes: number;
  windowsFlushed: number;
  windowsCancelled: number;
}

export const COUNTED_BY_REASON = {
  LEADING: 'windowsLeading',
  QUIET: 'windowsQuiet',
  WINDOW: 'windowsByWindow',
  MAX_WAIT: 'windowsByMaxWait',
  MAX_ITEMS: 'windowsByMaxItems',
  MAX_BYTES: 'windowsByMaxBytes',
  FLUSHED: 'windowsFlushed',
  CANCELLED: 'windowsCancelled',
} as const satisfies Readonly<Record<BatchReason, CounterOf<DebounceCounters>>>;

export function zeroDebounceCounters(): DebounceCounters {
  return {
    itemsAccepted: 0,
    windowsOpened: 0,
    unmatchedCommands: 0,
    clampedWaits: 0,
    windowsLeading: 0,
    windowsQuiet: 0,
    windowsByWindow: 0,
    windowsByMaxWait: 0,
    windowsByMaxItems: 0,
    windowsByMaxBytes: 0,
    windowsFlushed: 0,
    windowsCancelled: 0,
  };
}
