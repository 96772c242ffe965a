// DescribeGroups v0: what a consumer group is doing. Asked from its coordinator.
import { errorOfCode } from '../connection/foreign-errors.ts';
import { ApiKey, type KafkaRequest } from '../connection/kafka-request.ts';
import { ProtocolReader, ProtocolWriter } from '../connection/protocol-bytes.ts';

export function describeGroupRequest(group: string): KafkaRequest {
  const body = new ProtocolWriter().int32(1).string(group).finish();
  return { apiKey: ApiKey.describeGroups, apiVersion: 0, apiName: 'DescribeGroups', body };
}

/** `Stable`, `PreparingRebalance`, `CompletingRebalance`, `Empty`, or `Dead` where there is none. */
export function decodeDescribeGroup(payload: Buffer, doing: string): string {
  const reader = new ProtocolReader(payload);
  if (reader.int32() < 1) throw errorOfCode(-1, doing, 'the group is not in the answer');
  const code = reader.int16();
  if (code !== 0) throw errorOfCode(code, doing);
  reader.string();
  return reader.string();
}
