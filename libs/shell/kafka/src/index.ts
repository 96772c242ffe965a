export { type Credentials, KafkaAccess, type SaslCredentials } from './access/index.ts';
export type { TopicGrowth, TopicSettingsChange } from './admin/alter-topics.ts';
export type { NewTopic } from './admin/create-topics.ts';
export { GroupProgress, type GroupTopic } from './admin/group-progress.ts';
export { KafkaGroupAdmin } from './admin/kafka-group-admin.ts';
export { KafkaLogAdmin } from './admin/kafka-log-admin.ts';
export type { AdminOptions } from './admin/patience.ts';
export {
  type CreatedTopic,
  KafkaTopicAdmin,
  type TopicDescription,
  type TopicFinding,
} from './admin/kafka-topic-admin.ts';
export { KafkaConnection, openCluster } from './connection/kafka-connection.ts';
export type { PartitionMetadata, TopicRight } from './connection/metadata.ts';
export type { ConnectionEvent, KafkaLogEntry, KafkaOptions } from './connection/kafka-options.ts';
export { assign } from './group/assigner.ts';
export { KafkaMembership, type KafkaMembershipOptions } from './group/membership.ts';
export { KafkaLogReader } from './reader/kafka-log-reader.ts';
export { ReaderBuffers } from './reader/reader-buffers.ts';
export type { ReaderLimits } from './reader/reader-limits.ts';
export type { Compression } from './record-batch/compressor.ts';
export { type FirstRecord, firstRecord } from './scan/first-record.ts';
export { KafkaLogScan, type LogBounds, type LogBytes, type LogStretch } from './scan/kafka-log-scan.ts';
export { AcknowledgedWriter, type KeyedRecord } from './writer/acknowledged-writer.ts';
export { BatchProducer, type BatchProducerOptions, type ProducedRecord } from './writer/batch-producer.ts';
export { RecordTooLarge } from './writer/topic-limit.ts';
export { KafkaProofWriter, type KafkaProofWriterOptions } from './writer/proof-writer.ts';
export {
  batchMemory,
  KafkaTransactionalWriters,
  type TransactionalWritersOptions,
} from './writer/transactional-writers.ts';
