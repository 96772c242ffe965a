export { BackOff, type BackOffLimits, RECONNECT_BACK_OFF } from '@flatline/system';
export type { CoordinatorKind } from './find-coordinator.ts';
export { codeOf, errorOfCode, KafkaAnswerError } from './foreign-errors.ts';
export { KafkaCode, kafkaErrorCode } from './kafka-error-codes.ts';
export { KafkaConnection, type Leader, openCluster } from './kafka-connection.ts';
export type { ConnectionEvent, KafkaLogEntry, KafkaOptions } from './kafka-options.ts';
export { type AnswerDecoder, ApiKey, type KafkaRequest, type Lane, type SendOptions } from './kafka-request.ts';
export type { ClusterMetadata, NodeAddress, PartitionMetadata, TopicMetadata } from './metadata.ts';
export { ProtocolReader, ProtocolWriter, readInt32, readInt64 } from './protocol-bytes.ts';
