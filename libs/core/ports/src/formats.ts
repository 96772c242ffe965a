// What formats read and write. An entry of its own: whoever only moves bytes knows nothing of sessions.
export type { DecodeOutcome, EventDecoder, SummaryEncoder } from './codecs.ts';
export { blankEvent, ENDED, HEARTBEAT, resetEvent, STARTED, type SessionEvent } from './session-event.ts';
export type { CloseReason, SessionSummary } from './session-summary.ts';
