export type { DelaySummary } from './delays.ts';
export type { Delivery } from './delivery-check.ts';
export type {
  BatchMark,
  InputEvent,
  InputRecord,
  LetterOrigin,
  LetterRecord,
  LogPart,
  LogRecord,
  LogSource,
  OpenTransaction,
  OutputRecord,
  PartitionHistory,
  PipelineRules,
  StoredEntry,
  StoredState,
} from './history.ts';
export type { LedgerLine } from './ledger-check.ts';
export type { Reach, ReachCounter } from './reach.ts';
export type { VerificationReport, Violation } from './report.ts';
export { type VerificationOptions, verifyHistories } from './verification.ts';
