// The requests of idempotent and transactional producers (KIP-98), in the newest versions before the flexible ones.
//
// AddPartitionsToTxn and EndTxn v2 say PRODUCER_FENCED where kafkajs' v1 hears INVALID_PRODUCER_EPOCH (kafkajs 17).
import { type DurationMs } from '@flatline/base';
import type { GroupOffset, TopicPartition } from '@flatline/ports';
import {
  ApiKey,
  errorOfCode,
  KafkaCode,
  type KafkaRequest,
  ProtocolReader,
  ProtocolWriter,
} from '../connection/index.ts';
import { byTopic } from './topic-groups.ts';

/** One epoch of a producer id: what the broker knows a writer by. */
export interface ProducerEpoch {
  readonly producerId: bigint;
  readonly epoch: number;
}

export interface TransactionalEpoch extends ProducerEpoch {
  readonly transactionalId: string;
  /** After which the brokers abort a transaction of it. */
  readonly timeoutMs: DurationMs;
}

const OPERATION_NOT_ATTEMPTED = 55;

/** null: an idempotent producer without transactions; `transactionTimeoutMs` then means nothing. */
export function initProducerIdRequest(transactionalId: string | null, transactionTimeoutMs: DurationMs): KafkaRequest {
  const body = new ProtocolWriter().string(transactionalId).int32(transactionTimeoutMs).finish();
  return { apiKey: ApiKey.initProducerId, apiVersion: 1, apiName: 'InitProducerId', body };
}

export function decodeInitProducerId(payload: Buffer, doing: string): ProducerEpoch {
  const reader = new ProtocolReader(payload);
  throwOnError(reader, doing);
  return { producerId: reader.bigint64(), epoch: reader.int16() };
}

export function addPartitionsRequest(writer: TransactionalEpoch, partitions: readonly TopicPartition[]): KafkaRequest {
  const body = transactionBody(writer);
  body.array(byTopic(partitions), ([topic, items]) => {
    body.string(topic).array(items, ({ partition }) => body.int32(partition));
  });
  return { apiKey: ApiKey.addPartitionsToTxn, apiVersion: 2, apiName: 'AddPartitionsToTxn', body: body.finish() };
}

export function addOffsetsRequest(writer: TransactionalEpoch, group: string): KafkaRequest {
  const body = transactionBody(writer).string(group).finish();
  return { apiKey: ApiKey.addOffsetsToTxn, apiVersion: 2, apiName: 'AddOffsetsToTxn', body };
}

export function txnOffsetCommitRequest(
  { transactionalId, producerId, epoch }: TransactionalEpoch,
  group: string,
  offsets: readonly GroupOffset[],
): KafkaRequest {
  const body = new ProtocolWriter().string(transactionalId).string(group).bigint64(producerId).int16(epoch);
  body.array(byTopic(offsets), ([topic, items]) => {
    body.string(topic).array(items, ({ partition, offset, metadata }) => {
      // −1: the leader epoch of an offset is not known here.
      body.int32(partition).int64(offset).int32(-1).string(metadata);
    });
  });
  return { apiKey: ApiKey.txnOffsetCommit, apiVersion: 2, apiName: 'TxnOffsetCommit', body: body.finish() };
}

/** EndTxn with COMMIT: a writer never aborts (TW1). */
export function endTransactionRequest(writer: TransactionalEpoch): KafkaRequest {
  const body = transactionBody(writer).bool(true).finish();
  return { apiKey: ApiKey.endTxn, apiVersion: 2, apiName: 'EndTxn', body };
}

/** Result of AddOffsetsToTxn and EndTxn. @throws by the code's consequence. */
export function decodeDone(payload: Buffer, doing: string): void {
  throwOnError(new ProtocolReader(payload), doing);
}

/** Result of AddPartitionsToTxn and TxnOffsetCommit. @throws by the consequence of the first code that is an error of its own. */
export function decodePartitionsDone(payload: Buffer, doing: string): void {
  const reader = new ProtocolReader(payload);
  reader.int32();
  const answers = reader.array((item) => {
    const topic = item.string();
    return item.array((entry) => ({ topic, partition: entry.int32(), code: entry.int16() }));
  });
  const failed = answers.flat().filter(({ code }) => code !== KafkaCode.none);
  // Where one partition fails the others are "not attempted", which explains nothing.
  const reason = failed.find(({ code }) => code !== OPERATION_NOT_ATTEMPTED) ?? failed[0];
  if (reason !== undefined) throw errorOfCode(reason.code, `${doing} (${reason.topic}-${reason.partition})`);
}

function transactionBody({ transactionalId, producerId, epoch }: TransactionalEpoch): ProtocolWriter {
  return new ProtocolWriter().string(transactionalId).bigint64(producerId).int16(epoch);
}

function throwOnError(reader: ProtocolReader, doing: string): void {
  // Throttle time: the broker mutes the connection itself (KIP-219).
  reader.int32();
  const code = reader.int16();
  if (code !== KafkaCode.none) throw errorOfCode(code, doing);
}
