// ListOffsets v5: where a log begins and ends, from its leader and only from it (a current leader epoch goes along).
import type { Millis } from '@flatline/base';
import type { TopicPartition } from '@flatline/ports';
import { errorOfCode } from './foreign-errors.ts';
import type { KafkaConnection, Leader } from './kafka-connection.ts';
import { ApiKey, type KafkaRequest } from './kafka-request.ts';
import { ProtocolReader, ProtocolWriter } from './protocol-bytes.ts';

/**
 * `end` is the high watermark; `stableEnd` the last stable offset, below which everything is decided; an instant gives the
 * first record below that which is stamped at or past it.
 */
export type LogPlace = 'start' | 'end' | 'stableEnd' | { readonly timestamp: Millis };

/** The broker's answer where no record is stamped at or past the instant. */
export const NO_OFFSET = -1;

const EARLIEST = -2;
const LATEST = -1;
const READ_UNCOMMITTED = 0;
const READ_COMMITTED = 1;
const NO_REPLICA = -1;

/** @throws Retriable, also where the leader is not yet sure of its end (OFFSET_NOT_AVAILABLE); Fatal. */
export function listOffset(
  connection: KafkaConnection,
  partition: TopicPartition,
  leader: Leader,
  place: LogPlace,
): Promise<number> {
  const what = typeof place === 'string' ? place : `offset at ${place.timestamp}`;
  const doing = `read the ${what} of ${partition.topic}-${partition.partition}`;
  return connection.send(
    leader.nodeId,
    listOffsetsRequest(partition, leader.leaderEpoch, place),
    (payload) => decodeListOffsets(payload, doing),
    { doing },
  );
}

function listOffsetsRequest(partition: TopicPartition, leaderEpoch: number, place: LogPlace): KafkaRequest {
  const isCommitted = place !== 'start' && place !== 'end';
  const writer = new ProtocolWriter().int32(NO_REPLICA).int8(isCommitted ? READ_COMMITTED : READ_UNCOMMITTED);
  writer.array([partition], (one) => {
    writer.string(one.topic).array([one.partition], (number) => {
      writer.int32(number).int32(leaderEpoch).int64(timestampOf(place));
    });
  });
  return { apiKey: ApiKey.listOffsets, apiVersion: 5, apiName: 'ListOffsets', body: writer.finish() };
}

function timestampOf(place: LogPlace): number {
  if (typeof place === 'object') return place.timestamp;
  return place === 'start' ? EARLIEST : LATEST;
}

function decodeListOffsets(payload: Buffer, doing: string): number {
  const reader = new ProtocolReader(payload);
  reader.int32();
  const answers = reader.array(() => {
    reader.string();
    return reader.array(() => {
      reader.int32();
      const code = reader.int16();
      reader.int64();
      const offset = reader.int64();
      reader.int32();
      return { code, offset };
    });
  });
  const answer = answers.flat()[0];
  if (answer === undefined) throw errorOfCode(-1, doing, 'the partition is not in the answer');
  if (answer.code !== 0) throw errorOfCode(answer.code, doing);
  return answer.offset;
}
