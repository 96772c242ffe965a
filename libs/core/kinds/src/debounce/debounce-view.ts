// A window of items as it is shown: how much it holds, and when it fires if nothing comes.
import type { EntryView } from '../entry-view.ts';
import { debounceFormat } from './debounce-format.ts';
import type { DebounceWindow } from './debounce-window.ts';

export const debounceView: EntryView<DebounceWindow> = {
  format: debounceFormat,
  shown(entry, { partition }) {
    const { waitsFrom, waitMs, maxEndAt, firstOffset, count, valueBytes } = entry;
    const firesAt = maxEndAt > 0 ? Math.min(maxEndAt, waitsFrom + waitMs) : waitsFrom + waitMs;
    return [{ windowId: `${partition}-${firstOffset}`, firesAt, waitMs, count, bytes: valueBytes }];
  },
};
