export {
  type Effects,
  type Kind,
  type KindParts,
  type PipelineKind,
  PROCESSING_FAILED,
  type Refusal,
  type Run,
} from './contract.ts';
export { type HeldState, HeldTime, type HeldTimeRules, type Hold } from './held-time.ts';
export { applyEvent, openSession, type Applied, type Occurrence } from './session/apply-event.ts';
export { summarize, type Closing } from './session/deadline.ts';
export { decodeDetail, encodeDetail, textBytes, type SessionDetail } from './session/detail.ts';
export type { SessionEntry, SessionRules } from './session/entry.ts';
export { blankEvent, ENDED, HEARTBEAT, resetEvent, STARTED, type SessionEvent } from './session/event.ts';
export { largestEntry, type TextLimits } from './session/largest-entry.ts';
export { SessionTexts } from './session/texts.ts';
export type { StateBytes } from './state-bytes.ts';
export type { SequenceWindow } from './session/sequence-window.ts';
export type { CloseReason, SessionSummary } from './session/summary.ts';
export type { DecodeOutcome, EventDecoder, SummaryEncoder } from './session/codecs.ts';
export { type SessionCounters } from './session/session-counters.ts';
export { sessionKind, type SessionOptions } from './session/session-kind.ts';
