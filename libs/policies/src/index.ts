export { blankEvent, ENDED, HEARTBEAT, resetEvent, STARTED, type SessionEvent } from './session/event.ts';
export type { CloseReason, SessionSummary } from './session/summary.ts';
