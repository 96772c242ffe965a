export {
  type CounterOf,
  type Effects,
  type EntryFormat,
  type Kind,
  type KindCounters,
  type KindOutput,
  type KindParts,
  type LaterRecords,
  type OwedRecords,
  type Owing,
  type PipelineKind,
  PROCESSING_FAILED,
  type Refusal,
  type GroupRecords,
  type TouchBase,
} from './contract.ts';
export {
  type EntryMemory,
  EntryWindow,
  HAS_ROW,
  IN_FLIGHT,
  KEY_UNIT_SHIFT,
  LINE_BYTES,
  LINE_F64_SHIFT,
  LINE_I32_SHIFT,
  type Lines,
  LIVE,
  type Rows,
  type States,
  type StateWindow,
} from './entry-window.ts';
export type { DebounceReducer, ReducerItem } from './debounce/custom-reducer.ts';
export { COUNTED_BY_REASON, type DebounceCounters } from './debounce/debounce-counters.ts';
export { debounceView } from './debounce/debounce-view.ts';
export { debounceKind, type DebounceOptions } from './debounce/debounce-kind.ts';
export {
  BATCH_BYTES_MAX,
  type DebounceMode,
  type DebounceRules,
  type OnOversize,
  type Reducer,
  WINDOW_BYTES_MAX,
  WINDOW_ITEMS_MAX,
  WINDOW_PARTS_BYTES_MAX,
} from './debounce/debounce-rules.ts';
export { besideItemBytes } from './debounce/largest-window.ts';
export { ENTRY_BYTES } from './entry-bytes.ts';
export type { EntryPlace, EntryView, ShownEntry } from './entry-view.ts';
export { firstPlaceOf, idAt, inputAt, offsetAt } from './input-place.ts';
export { type HeldState, HeldTime, type HeldTimeRules, type Hold } from './held-time.ts';
export { largestLeaseEvent } from './lease/largest-lease.ts';
export type { LeaseCounters } from './lease/lease-counters.ts';
export { leaseKind, type LeaseOptions } from './lease/lease-kind.ts';
export { leaseView } from './lease/lease-view.ts';
export type { LeaseRules, OnConflict } from './lease/lease-rules.ts';
export { TOKEN_EPOCH_MAX } from './lease/lease-token.ts';
export type { ScheduleCounters } from './schedule/schedule-counters.ts';
export { scheduleKind, type ScheduleOptions } from './schedule/schedule-kind.ts';
export { scheduleView } from './schedule/schedule-view.ts';
export type { ScheduleRules } from '@flatline/schedules';
export { applyEvent, openSession, type Applied, type Occurrence } from './session/apply-event.ts';
export { summarize, type Closing } from './session/deadline.ts';
export { encodeNumbers, type SessionDetail } from './session/detail.ts';
export type { SessionEntry, SessionRules } from './session/entry.ts';
export { ABSORBED_MAX } from './session/fragment.ts';
export { largestEntry, type TextLimits } from './session/largest-entry.ts';
export { SessionTexts } from './session/texts.ts';
export type { BytesSpan, StateBytes } from './state-bytes.ts';
export type { SequenceWindow } from './session/sequence-window.ts';
export { type SessionCounters } from './session/session-counters.ts';
export { sessionFormat } from './session/session-format.ts';
export { SessionWindow } from './session/session-window.ts';
export { sessionView } from './session/session-view.ts';
export { type SessionInput, sessionKind, type SessionOptions } from './session/session-kind.ts';
