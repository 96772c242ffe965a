import type { CounterOf } from '@flatline/kinds';
import { COUNTED_BY_REASON, type DebounceCounters } from '@flatline/kinds/debounce';
import type { KindMetrics } from '../kind-module.ts';

export const debounceMetrics: KindMetrics<CounterOf<DebounceCounters>> = {
  counted: {
    flatline_items_accepted_total: ['itemsAccepted', 'Items put into windows (B2)'],
    flatline_windows_opened_total: ['windowsOpened', 'Windows opened (B1)'],
    flatline_unmatched_commands_total: ['unmatchedCommands', 'Cancels and flushes without a window (B3)'],
    flatline_clamped_waits_total: ['clampedWaits', 'Waits asked for that were clamped (B1)'],
  },
  endings: COUNTED_BY_REASON,
  ended: { name: 'flatline_windows_fired_total', help: 'Windows that have fired or were cancelled, by reason (B3)' },
};
