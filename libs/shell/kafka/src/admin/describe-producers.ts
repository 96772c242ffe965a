// DescribeProducers v0 (KIP-664): producers with an open transaction on a partition. Sent to its leader.
import type { OpenTransaction, TopicPartition } from '@flatline/ports';
import { errorOfCode } from '../connection/foreign-errors.ts';
import type { KafkaConnection } from '../connection/kafka-connection.ts';
import type { KafkaRequest } from '../connection/kafka-request.ts';
import { ProtocolReader, ProtocolWriter } from '../connection/protocol-bytes.ts';

const DESCRIBE_PRODUCERS = 61;

interface PartitionProducers {
  readonly code: number;
  readonly message: string | null;
  readonly open: readonly OpenTransaction[];
}

/** Asks the leader. @throws Retriable where it has moved; Fatal where this principal may not ask. */
export function openTransactionsAt(
  connection: KafkaConnection,
  partition: TopicPartition,
  nodeId: number,
): Promise<readonly OpenTransaction[]> {
  const doing = `list the producers of ${partition.topic}-${partition.partition}`;
  const request = describeProducersRequest(partition);
  return connection.send(nodeId, request, (payload) => decodeDescribeProducers(payload, doing), { doing });
}

function describeProducersRequest({ topic, partition }: TopicPartition): KafkaRequest {
  const writer = new ProtocolWriter().noTags();
  writer.compactArray([topic], (name) => {
    writer.compactString(name);
    writer.compactArray([partition], (number) => writer.int32(number)).noTags();
  });
  writer.noTags();
  return { apiKey: DESCRIBE_PRODUCERS, apiVersion: 0, apiName: 'DescribeProducers', body: writer.finish() };
}

function decodeDescribeProducers(payload: Buffer, doing: string): readonly OpenTransaction[] {
  const reader = new ProtocolReader(payload);
  reader.skipTags();
  reader.int32();
  const topics = reader.compactArray(() => {
    reader.compactString();
    const partitions = reader.compactArray(readPartition);
    reader.skipTags();
    return partitions;
  });
  const answer = topics.flat()[0];
  if (answer === undefined) throw errorOfCode(-1, doing, 'the partition is not in the answer');
  if (answer.code !== 0) throw errorOfCode(answer.code, doing, answer.message);
  return answer.open;
}

function readPartition(reader: ProtocolReader): PartitionProducers {
  reader.int32();
  const code = reader.int16();
  const message = reader.compactNullableString();
  const producers = reader.compactArray(readProducer);
  reader.skipTags();
  return { code, message, open: producers.filter(({ firstOffset }) => firstOffset >= 0) };
}

function readProducer(reader: ProtocolReader): OpenTransaction {
  const producerId = reader.int64();
  const producerEpoch = reader.int32();
  reader.int32(); // last sequence
  reader.int64(); // last timestamp
  reader.int32(); // coordinator epoch
  const firstOffset = reader.int64();
  reader.skipTags();
  return { producerId, producerEpoch, firstOffset };
}
