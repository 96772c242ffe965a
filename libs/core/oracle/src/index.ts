export type { ReducerRules } from './rules/reducing/naive-reducer.ts';
export type { DelaySummary } from './judge/delays.ts';
export type { DelayCause } from './judge/delay-cause.ts';
export { type MisplacedKeys, MISPLACED_KNOWN_MAX } from './judge/key-places.ts';
export type { LedgerLine } from './judge/ledger-check.ts';
export type { Reach, ReachCounter } from './judge/reach.ts';
export type { VerificationReport, Violation } from './judge/report.ts';
export type { SettingsDifference } from './judge/settings-differences.ts';
export { type VerificationOptions, verifyHistories } from './judge/verification.ts';
export { keyedHash, type KeyedHashes } from './rules/attributes-in.ts';
export type {
  AttributeRules,
  BatchMark,
  CommonRules,
  DeliveryHistory,
  InputEvent,
  InputOfSeveral,
  InputRecord,
  InputTruth,
  LetterSubject,
  LetterRecord,
  LogPart,
  LogRecord,
  LogSource,
  OpenTransaction,
  OutputRecord,
  PartitionHistory,
  PipelineRules,
  RawHeader,
  RoutedRecord,
  StoredEntry,
  StoredState,
  ValueFormat,
  WholeRecord,
} from './logs/history.ts';
export { ChangelogFold } from './logs/changelog-fold.ts';
export { type BlockHeader, type ChangelogBlock, readBlock, type SaidSettings } from './logs/changelog-block.ts';
export { BrokenBytes } from './logs/byte-walk.ts';
export { foreignEvent } from './logs/foreign-event.ts';
export { jsonEvent } from './logs/json-event.ts';
export {
  inputRecord,
  keyedRecord,
  letterRecord,
  outputRecord,
  plainRecord,
  routedRecord,
  type RawRecord,
} from './logs/raw-record.ts';
export { type ReadBatches, readBatches, type Unpack } from './logs/record-batch.ts';
export { ValueFormats } from './logs/value-formats.ts';
export { inOneOrder } from './judge/merged-feed.ts';
export { judgeDeliveryLogs } from './judge/delivery-logs-judge.ts';
export { foldKind, type KindFolded, type KindFoldOptions } from './judge/fold-kind.ts';
export type { JudgedRules, RulesByKind } from './judge/kinds.ts';
export { optionAt, settingsIn, topicsRoutedTo } from './judge/rules-in-force.ts';
