export type { CommittedScan } from './committed-scan.ts';
export { CLOCK_HEADER, PROBE_HEADER } from './clock-record.ts';
export { deadLetterHeaders, type DeadLetterOrigin, readDeadLetter, type Truncation } from './dead-letter-headers.ts';
export {
  type AskingReason,
  DEAD_LETTER_REASONS,
  type DeadLetterReason,
  invalidHeader,
  isDeadLetterReason,
  type ValueReason,
} from './dead-letter-reasons.ts';
export { headerSection } from './header-section.ts';
export { nameBytes, nameText } from './packed/header-names.ts';
export {
  PackedCursor,
  type PackedRecord,
  PackedRecords,
  type RecordMark,
  type RecordRange,
} from './packed/packed-records.ts';
export { RecordPacker, START } from './packed/record-packer.ts';
export { type Frame, framesOf, headerFrame, nameFrame, type RecordSink } from './packed/record-sink.ts';
export { PackedWrite, recordCount } from './packed/packed-write.ts';
export { INCARNATION_HEADER } from './incarnation-header.ts';
export { ROUTE_HEADER } from './route-header.ts';
export { groupOf, rowsIn, StoredGroup, type StoredRow } from './stored-group.ts';
export { assertSlotOrder } from './slot-order.ts';
export type { BatchFingerprint, CommittedOffset, LogAdmin, OpenTransaction, PresentTopic } from './log-admin.ts';
export { KEY_GROUP_MAX } from './log-reader.ts';
export type {
  GroupHeaders,
  KeyGroup,
  LogEnds,
  LogReader,
  LogSubscription,
  ReadObstacle,
  RecordCursor,
  RecordHeader,
  FetchedRecords,
  TopicPartition,
  UnreadableBatch,
} from './log-reader.ts';
export type { Assignment, InstancePartitions, LocalCheckpoint, Membership, MembershipListener } from './membership.ts';
export { StoreOccupied } from './state-store.ts';
export type {
  LocalStore,
  OpenedStore,
  StateStore,
  StateStores,
  StoreChanges,
  StoreCheckpoint,
  RowPlace,
  StoreDistrust,
  StoreDrop,
  StoreState,
} from './state-store.ts';
export type {
  GroupOffset,
  OutgoingRecord,
  OutgoingRecords,
  ProofWriter,
  Transaction,
  TransactionalWriter,
  TransactionalWriters,
  UntimedRecord,
  WrittenOffsets,
} from './transaction.ts';
export type { KeySpans } from './log-reader.ts';
