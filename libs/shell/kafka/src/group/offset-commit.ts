// OffsetCommit v7: where a member of a group stands. Sent to the group's coordinator.
import { ApiKey, errorOfCode, type KafkaRequest, ProtocolReader, ProtocolWriter } from '../connection/index.ts';
import type { Membered } from './group-requests.ts';

const NO_LEADER_EPOCH = -1;

/** By partition number. */
export type Offsets = ReadonlyMap<number, number>;

export function offsetCommitRequest(member: Membered, topic: string, offsets: Offsets): KafkaRequest {
  const body = new ProtocolWriter().string(member.group).int32(member.generation).string(member.memberId);
  body.string(member.instanceId);
  body.array([topic], (name) => {
    body.string(name).array([...offsets], ([partition, offset]) => {
      body.int32(partition).int64(offset).int32(NO_LEADER_EPOCH).string('');
    });
  });
  return { apiKey: ApiKey.offsetCommit, apiVersion: 7, apiName: 'OffsetCommit', body: body.finish() };
}

/** @throws by the consequence of the first code that is an error. */
export function decodeOffsetCommit(payload: Buffer, doing: string): void {
  const reader = new ProtocolReader(payload);
  reader.int32();
  const codes = reader.array(() => {
    reader.string();
    return reader.array(() => {
      reader.int32();
      return reader.int16();
    });
  });
  const failed = codes.flat().find((code) => code !== 0);
  if (failed !== undefined) throw errorOfCode(failed, doing);
}
