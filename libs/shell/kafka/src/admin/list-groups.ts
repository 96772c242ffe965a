// ListGroups v1: the groups that the node which is asked coordinates, as far as this principal may see them.
import { errorOfCode } from '../connection/foreign-errors.ts';
import { ApiKey, type KafkaRequest } from '../connection/kafka-request.ts';
import { ProtocolReader, ProtocolWriter } from '../connection/protocol-bytes.ts';

export function listGroupsRequest(): KafkaRequest {
  return { apiKey: ApiKey.listGroups, apiVersion: 1, apiName: 'ListGroups', body: new ProtocolWriter().finish() };
}

/** @throws Retriable while the coordinator loads. */
export function decodeListGroups(payload: Buffer, doing: string): string[] {
  const reader = new ProtocolReader(payload);
  reader.int32();
  const code = reader.int16();
  const groups = reader.array(() => {
    const group = reader.string();
    reader.string(); // protocol type
    return group;
  });
  if (code !== 0) throw errorOfCode(code, doing);
  return groups;
}
