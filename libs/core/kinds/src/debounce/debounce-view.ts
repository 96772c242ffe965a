// A window of items as it is shown: how much it holds, and when it fires if nothing comes.
import type { EntryView } from '../entry-view.ts';
import { debounceFormat } from './debounce-format.ts';
import type { DebounceWindow } from './debounce-window.ts';

export const debounceView: EntryView<DebounceWindow> = {
  format: debounceFormat,
  shown(entry, { partition }) {
    const { waitsFrom, waitMs, maxEndAt, firstOffset, count, valueBytes, owed, isOpen } = entry;
    const firesAt = maxEndAt > 0 ? Math.min(maxEndAt, waitsFrom + waitMs) : waitsFrom + waitMs;
    const open = { windowId: `${partition}-${firstOffset}`, firesAt, waitMs, count, bytes: valueBytes };
    const fired = owed && {
      windowId: `${partition}-${owed.firstOffset}`,
      firesAt: owed.firedAt,
      waitMs,
      count: owed.count,
      bytes: owed.valueBytes,
    };
    return [...(fired === undefined ? [] : [fired]), ...(isOpen ? [open] : [])];
  },
};
