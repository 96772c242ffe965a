export { type Eviction, readEvictions, writeEvictions } from './acts/eviction.ts';
export { asksEviction, readEviction } from './acts/eviction-record.ts';
export {
  type CounterOf,
  type Effects,
  type Evicting,
  type EntryFormat,
  type Kind,
  type KindCounters,
  type KindOutput,
  type KindParts,
  type KeptEntries,
  type LaterRecords,
  type OwedRecords,
  type Owing,
  type PipelineKind,
  PROCESSING_FAILED,
  type Refusal,
  type GroupRecords,
  type Kept,
  type KeptBytes,
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
export { ENTRY_BYTES } from './entry-bytes.ts';
export type { EntryPlace, EntryView } from './entry-view.ts';
export type { Fields, OutputName, SaidWords } from './said-words.ts';
export type { ShownEntry } from './shown-entry.ts';
export { firstPlaceOf, idAt, inputAt, offsetAt } from './input-place.ts';
export { type HeldState, HeldTime, type HeldTimeRules, type Hold } from './held-time.ts';
export type { BytesSpan, StateBytes } from './state-bytes.ts';
