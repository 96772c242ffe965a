export { BackOff } from '@flatline/system';
export { codeOf, errorOfCode } from './foreign-errors.ts';
export { KafkaCode } from './kafka-error-codes.ts';
export { KafkaConnection, openCluster } from './kafka-connection.ts';
export type { KafkaOptions } from './kafka-options.ts';
export { type AnswerDecoder, ApiKey, type KafkaRequest, type Lane, type SendOptions } from './kafka-request.ts';
export type { TopicMetadata } from './metadata.ts';
export { ProtocolReader, ProtocolWriter } from './protocol-bytes.ts';
