export type { DecodeOutcome, EventDecoder, SummaryEncoder } from './ports/codecs.ts';
export type { LogAdmin } from './ports/log-admin.ts';
export type {
  LogEnds,
  LogReader,
  LogSubscription,
  RecordCursor,
  RecordHeader,
  RecordRun,
  TopicPartition,
} from './ports/log-reader.ts';
export type { Assignment, LocalCheckpoint, Membership, MembershipListener } from './ports/membership.ts';
export type {
  OpenedStore,
  StateStore,
  StateStores,
  StoreChanges,
  StoreCheckpoint,
  StoredImage,
  StoreDistrust,
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
