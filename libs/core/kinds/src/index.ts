export { type HeldState, HeldTime, type HeldTimeRules, type Hold } from './held-time.ts';
export { applyEvent, applyHeartbeat, openSession, type Applied, type Occurrence } from './session/apply-event.ts';
export { dueAt, dueReason, summarize, type Closing } from './session/deadline.ts';
export {
  decodeDetail,
  encodeDetail,
  textBytes,
  type Attribute,
  type DetailTexts,
  type SessionDetail,
} from './session/detail.ts';
export type { SessionEntry, SessionRules } from './session/entry.ts';
export { blankEvent, ENDED, HEARTBEAT, resetEvent, STARTED, type SessionEvent } from './session/event.ts';
export { largestEntry, type TextLimits } from './session/largest-entry.ts';
export type { SequenceWindow } from './session/sequence-window.ts';
export type { CloseReason, SessionSummary } from './session/summary.ts';
export type { DecodeOutcome, EventDecoder, SummaryEncoder } from './session/codecs.ts';
