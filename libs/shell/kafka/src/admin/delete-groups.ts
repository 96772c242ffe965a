// DeleteGroups v0: forgets a group without members, and what it has committed. Asked from the group's coordinator.
import { errorOfCode } from '../connection/foreign-errors.ts';
import { KafkaCode } from '../connection/kafka-error-codes.ts';
import { ApiKey, type KafkaRequest } from '../connection/kafka-request.ts';
import { ProtocolReader, ProtocolWriter } from '../connection/protocol-bytes.ts';

export function deleteGroupRequest(group: string): KafkaRequest {
  const body = new ProtocolWriter().int32(1).string(group).finish();
  return { apiKey: ApiKey.deleteGroups, apiVersion: 0, apiName: 'DeleteGroups', body };
}

/** A group that is not there is forgotten already. @throws as `errorOfCode` */
export function decodeDeleteGroup(payload: Buffer, doing: string): void {
  const reader = new ProtocolReader(payload);
  reader.int32();
  const [code = KafkaCode.none] = reader.array(() => {
    reader.string();
    return reader.int16();
  });
  if (code !== KafkaCode.none && code !== KafkaCode.groupIdNotFound) throw errorOfCode(code, doing);
}
