export type { DebounceReducer, ReducerItem } from './custom-reducer.ts';
export { COUNTED_BY_REASON, type DebounceCounters } from './debounce-counters.ts';
export { debounceView } from './debounce-view.ts';
export { debounceKind, type DebounceOptions } from './debounce-kind.ts';
export {
  BATCH_BYTES_MAX,
  type DebounceMode,
  type DebounceRules,
  type OnOversize,
  type Reducer,
  WINDOW_BYTES_MAX,
  WINDOW_ITEMS_MAX,
  WINDOW_PARTS_BYTES_MAX,
} from './debounce-rules.ts';
export { besideItemBytes } from './largest-window.ts';
export { unfitItem, type WouldBeItem } from './unfit-item.ts';
export { debounceSaid } from './debounce-said.ts';
