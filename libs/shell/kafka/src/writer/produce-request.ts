// Produce v8: the newest version that is not flexible, and the first whose answer says what was wrong with a record (KIP-467).
import { counted, type DurationMs, type Millis, Retriable } from '@flatline/base';
import type { TopicPartition } from '@flatline/ports';
import {
  ApiKey,
  errorOfCode,
  KafkaCode,
  type KafkaRequest,
  ProtocolReader,
  ProtocolWriter,
} from '../connection/index.ts';
import { byTopic, partitionName } from './topic-groups.ts';

/** One sealed record batch for one partition. */
export interface PartitionBatch extends TopicPartition {
  readonly bytes: Uint8Array;
  readonly recordCount: number;
}

export interface ProduceAnswer extends TopicPartition {
  readonly errorCode: number;
  /** Offset of the batch's first record; −1 with an error. */
  readonly baseOffset: number;
  /** When the leader stamped the batch; −1: it did not, or there is an error. */
  readonly appendedAt: Millis;
  /** The broker's own words, where it had any. */
  readonly detail: string | null;
}

const ALL_IN_SYNC_REPLICAS = -1;
export interface ProduceOptions {
  readonly transactionalId: string | null;
  /** How long the leader may wait for its followers before it answers REQUEST_TIMED_OUT. */
  readonly acknowledgeMs: DurationMs;
}

/** At most one batch per partition: a broker refuses more. */
export function produceRequest(batches: readonly PartitionBatch[], options: ProduceOptions): KafkaRequest {
  const parts: Uint8Array[] = [];
  const topics = byTopic(batches);
  let between = new ProtocolWriter().string(options.transactionalId);
  between.int16(ALL_IN_SYNC_REPLICAS).int32(options.acknowledgeMs).int32(topics.length);
  for (const [topic, items] of topics) {
    between.string(topic).int32(items.length);
    for (const { partition, bytes } of items) {
      parts.push(between.int32(partition).int32(bytes.length).finish(), bytes);
      between = new ProtocolWriter();
    }
  }
  return { apiKey: ApiKey.produce, apiVersion: 8, apiName: 'Produce', body: parts };
}

export function decodeProduce(payload: Buffer): readonly ProduceAnswer[] {
  const reader = new ProtocolReader(payload);
  return reader
    .array((item) => {
      const topic = item.string();
      return item.array((entry) => readAnswer(entry, topic));
    })
    .flat();
}

/**
 * The answer to each batch, in the order of `batches`.
 * @throws Retriable where a partition is missing from the answer, is in it twice, or was never asked for (kafkajs 1).
 */
export function matchAnswers(
  batches: readonly PartitionBatch[],
  answers: readonly ProduceAnswer[],
): readonly ProduceAnswer[] {
  const byName = new Map(answers.map((answer) => [partitionName(answer), answer]));
  const matched = batches.map((batch) => byName.get(partitionName(batch)));
  const missing = matched.indexOf(undefined);
  if (missing >= 0) throw new Retriable(`the answer to a write does not mention ${partitionName(batches[missing]!)}`);
  if (answers.length !== batches.length)
    throw new Retriable(`the answer to a write to ${counted(batches.length, 'partition')} speaks of ${answers.length}`);
  return matched as ProduceAnswer[];
}

/** Error of a refused batch. `doing`: whose write it is, and to where. */
export function refusalOf({ errorCode, detail }: ProduceAnswer, batch: PartitionBatch, doing: string): Error {
  // The broker names no size, and a remedy needs one.
  const isForSize = errorCode === KafkaCode.messageTooLarge || errorCode === KafkaCode.recordListTooLarge;
  const size = `the batch has ${batch.bytes.length} bytes in ${counted(batch.recordCount, 'record')}`;
  return errorOfCode(errorCode, doing, isForSize ? [size, detail ?? []].flat().join('; ') : detail);
}

function readAnswer(reader: ProtocolReader, topic: string): ProduceAnswer {
  const partition = reader.int32();
  const errorCode = reader.int16();
  const baseOffset = reader.int64();
  const appendedAt = reader.int64();
  // Log start offset.
  reader.advance(8);
  const recordErrors = reader.array((item) => ({ index: item.int32(), message: item.nullableString() }));
  const message = reader.nullableString();
  const first = recordErrors[0];
  const inRecord = first === undefined ? null : `record ${first.index}: ${first.message ?? 'refused'}`;
  return { topic, partition, errorCode, baseOffset, appendedAt, detail: inRecord ?? message };
}
