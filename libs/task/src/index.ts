export {
  type Block,
  type Claim,
  type CommitHeader,
  decodeBlock,
  encodeClaim,
  type InputPosition,
  NO_BATCH,
  recordedStamp,
} from './block-format.ts';
export type { FlushSlice } from './checkpoint-queue.ts';
export type { TaskCounters } from './counters.ts';
export type { DeadLetter, DeadLetterLimits, Truncation } from './dead-letter.ts';
export { largestBlockBytes } from './largest-block.ts';
export { PartitionTask } from './partition-task.ts';
export type { StepOutcome, TaskCut, TaskOptions } from './task-contract.ts';
export { CLOCK_HEADER, type InputRules } from './record-class.ts';
export { messageOf, RecordFailed } from './record-failed.ts';
export { Restoration, type RestoreStep } from './restoration.ts';
export { groupOf, imagesIn, StoredGroup } from './stored-group.ts';
export { type EntryTimer, type TimerInspection, timerFaults } from './timer-inspection.ts';
export type { DecodeOutcome, EventDecoder, SummaryEncoder } from './ports/codecs.ts';
export type { BatchFingerprint, CommittedOffset, LogAdmin } from './ports/log-admin.ts';
export { KEY_GROUP_MAX } from './ports/log-reader.ts';
export type {
  KeyGroup,
  LogEnds,
  LogReader,
  LogSubscription,
  RecordCursor,
  RecordHeader,
  RecordRun,
  TopicPartition,
  UnreadableBatch,
} from './ports/log-reader.ts';
export type {
  Assignment,
  InstancePartitions,
  LocalCheckpoint,
  Membership,
  MembershipListener,
} from './ports/membership.ts';
export type {
  LocalStore,
  OpenedStore,
  StateStore,
  StateStores,
  StoreChanges,
  StoreCheckpoint,
  ImagePlace,
  StoredImage,
  StoreDistrust,
  StoreDrop,
  StoreState,
} from './ports/state-store.ts';
export type {
  GroupOffset,
  OutgoingRecord,
  OutgoingRecords,
  ProofWriter,
  Transaction,
  TransactionalWriter,
  TransactionalWriters,
  WrittenOffsets,
} from './ports/transaction.ts';
