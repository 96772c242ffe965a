// OffsetForLeaderEpoch v3 (KIP-101, KIP-320): how far the log of a partition's leader agrees with what was written in an
// earlier leader's time. The first version that clients may ask with DESCRIBE on the topic.
import type { TopicPartition } from '@flatline/ports';
import { errorOfCode } from './foreign-errors.ts';
import type { KafkaConnection, Leader } from './kafka-connection.ts';
import { ApiKey, type KafkaRequest } from './kafka-request.ts';
import { ProtocolReader, ProtocolWriter } from './protocol-bytes.ts';

const NO_REPLICA = -1;

/** Where `leaderEpoch`, the greatest epoch in the leader's log up to the one asked for, ends. */
export interface EpochEnd {
  /** −1: it holds none. */
  readonly leaderEpoch: number;
  /** Offset after the last of that epoch; −1: it holds none. */
  readonly endOffset: number;
}

/** @throws Retriable, also where the node does not lead in this epoch (FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH); Fatal. */
export function epochEnd(
  connection: KafkaConnection,
  partition: TopicPartition,
  leader: Leader,
  leaderEpoch: number,
): Promise<EpochEnd> {
  const doing = `compare ${partition.topic}-${partition.partition} with what was read in leader epoch ${leaderEpoch}`;
  const request = epochEndRequest(partition, leader.leaderEpoch, leaderEpoch);
  return connection.send(leader.nodeId, request, (payload) => decodeEpochEnd(payload, doing), { doing });
}

function epochEndRequest(partition: TopicPartition, currentEpoch: number, askedEpoch: number): KafkaRequest {
  const writer = new ProtocolWriter().int32(NO_REPLICA);
  writer.array([partition], (one) => {
    writer.string(one.topic).array([one.partition], (number) => {
      writer.int32(number).int32(currentEpoch).int32(askedEpoch);
    });
  });
  return { apiKey: ApiKey.offsetForLeaderEpoch, apiVersion: 3, apiName: 'OffsetForLeaderEpoch', body: writer.finish() };
}

function decodeEpochEnd(payload: Buffer, doing: string): EpochEnd {
  const reader = new ProtocolReader(payload);
  reader.int32();
  const answers = reader.array(() => {
    reader.string();
    return reader.array(() => {
      const code = reader.int16();
      reader.int32();
      return { code, leaderEpoch: reader.int32(), endOffset: reader.int64() };
    });
  });
  const answer = answers.flat()[0];
  if (answer === undefined) throw errorOfCode(-1, doing, 'the partition is not in the answer');
  if (answer.code !== 0) throw errorOfCode(answer.code, doing);
  return { leaderEpoch: answer.leaderEpoch, endOffset: answer.endOffset };
}
