// Types that formats read and write. An entry point of its own, because code that only moves bytes needs none of them.
export { BY_OPERATOR_HEADER, CANCEL, COMMAND_HEADER, END, EVICT, EVICTION_TEXT_BYTES_MAX, RELEASE } from './acts.ts';
export type {
  DebouncedBatchEncoder,
  DecodeOutcome,
  EventDecoder,
  LeaseEventEncoder,
  LeaseRequestDecoder,
  SessionStatsEncoder,
  SummaryEncoder,
  ValueDecoder,
} from './codecs.ts';
export {
  BATCH_BYTES_MAX,
  type BatchItem,
  type BatchReason,
  type DebouncedBatch,
  FLUSH,
  MAX_WAIT_HEADER,
  WAIT_DIGITS_MAX,
  WAIT_HEADER,
} from './debounced-batch.ts';
export { ERASE } from './erasure.ts';
export type { LeaseEvent, LeaseEventType, LeaseReason } from './lease-event.ts';
export {
  blankLeaseRequest,
  type LeaseRequest,
  REQUEST_ID_HEADER,
  REQUEST_ID_LENGTH_MAX,
  resetLeaseRequest,
  TOKEN_HEADER,
} from './lease-request.ts';
export {
  ANSWERED_HEADER,
  ASKING_HEADERS,
  CRON_HEADER,
  DELAY_HEADER,
  DUE_AT_HEADER,
  END_AT_HEADER,
  EVERY_HEADER,
  EXPIRES_HEADER,
  JITTER_HEADER,
  LAST_HEADER,
  MAX_RUNS_HEADER,
  MISSED_HEADER,
  OWN_HEADERS,
  RECEIPT_HEADER,
  RUN_HEADER,
  SCHEDULE_HEADER,
  SCHEDULE_ID_HEADER,
  SCHEDULE_ID_LENGTH_MAX,
  START_AT_HEADER,
  TARGET_HEADER,
  TIME_ZONE_HEADER,
  TZ_HEADER,
  UPSERT_HEADER,
} from './schedule-headers.ts';
export {
  blankEvent,
  ENDED,
  HEARTBEAT,
  resetEvent,
  type SessionEvent,
  SOURCE_BYTES_MAX,
  SOURCE_HEADER,
  STARTED,
} from './session-event.ts';
export type { SessionStats } from './session-stats.ts';
export type { CloseReason, Reduced, SessionState, SessionSummary } from './session-summary.ts';
