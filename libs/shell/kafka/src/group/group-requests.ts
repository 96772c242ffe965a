// The requests of the classic group protocol, in the newest versions before the flexible ones.
import { type DurationMs } from '@flatline/base';
import {
  ApiKey,
  errorOfCode,
  KafkaCode,
  type KafkaRequest,
  ProtocolReader,
  ProtocolWriter,
} from '../connection/index.ts';

export interface JoinTerms {
  readonly group: string;
  /** Empty: not known to the group yet. */
  readonly memberId: string;
  /** Static membership (KIP-345): the process that comes back under it has its partitions at once. null: none. */
  readonly instanceId: string | null;
  readonly sessionTimeoutMs: DurationMs;
  readonly rebalanceTimeoutMs: DurationMs;
  readonly protocolType: string;
  readonly protocol: string;
  readonly metadata: Uint8Array;
}

export interface GroupMember {
  readonly memberId: string;
  readonly metadata: Buffer;
}

export type JoinAnswer =
  /** Join again with this id: the group remembers it from now on (KIP-394). */
  | { readonly kind: 'named'; readonly memberId: string }
  | {
      readonly kind: 'joined';
      readonly memberId: string;
      readonly generation: number;
      readonly leaderId: string;
      /** All members for the leader, none for the others. */
      readonly members: readonly GroupMember[];
    };

/** A member of one generation, as requests after joining name it. */
export interface Membered {
  readonly group: string;
  readonly memberId: string;
  readonly instanceId: string | null;
  readonly generation: number;
}

export function joinGroupRequest(terms: JoinTerms): KafkaRequest {
  const body = new ProtocolWriter().string(terms.group).int32(terms.sessionTimeoutMs).int32(terms.rebalanceTimeoutMs);
  body.string(terms.memberId).string(terms.instanceId).string(terms.protocolType);
  body.array([terms], ({ protocol, metadata }) => body.string(protocol).bytes(metadata));
  return { apiKey: ApiKey.joinGroup, apiVersion: 5, apiName: 'JoinGroup', body: body.finish() };
}

/** @throws by the code's consequence; MEMBER_ID_REQUIRED is an answer, not an error. */
export function decodeJoinGroup(payload: Buffer, doing: string): JoinAnswer {
  const reader = new ProtocolReader(payload);
  reader.int32();
  const code = reader.int16();
  const generation = reader.int32();
  reader.nullableString();
  const leaderId = reader.string();
  const memberId = reader.string();
  if (code === KafkaCode.memberIdRequired) return { kind: 'named', memberId };
  if (code !== KafkaCode.none) throw errorOfCode(code, doing);
  const members = reader.array((item) => {
    const id = item.string();
    item.nullableString();
    return { memberId: id, metadata: item.nullableBytes() ?? Buffer.alloc(0) };
  });
  return { kind: 'joined', memberId, generation, leaderId, members };
}

/** `assignments`: of everybody from the leader, empty from the others. */
export function syncGroupRequest(
  { group, generation, memberId, instanceId }: Membered,
  assignments: readonly { readonly memberId: string; readonly bytes: Uint8Array }[],
): KafkaRequest {
  const body = new ProtocolWriter().string(group).int32(generation).string(memberId).string(instanceId);
  body.array(assignments, (each) => body.string(each.memberId).bytes(each.bytes));
  return { apiKey: ApiKey.syncGroup, apiVersion: 3, apiName: 'SyncGroup', body: body.finish() };
}

/** @returns this member's assignment, as the leader wrote it. */
export function decodeSyncGroup(payload: Buffer, doing: string): Buffer {
  const reader = new ProtocolReader(payload);
  throwOnError(reader, doing);
  return reader.nullableBytes() ?? Buffer.alloc(0);
}

export function heartbeatRequest({ group, generation, memberId, instanceId }: Membered): KafkaRequest {
  const body = new ProtocolWriter().string(group).int32(generation).string(memberId).string(instanceId).finish();
  return { apiKey: ApiKey.heartbeat, apiVersion: 3, apiName: 'Heartbeat', body };
}

export function leaveGroupRequest({ group, memberId, instanceId }: Omit<Membered, 'generation'>): KafkaRequest {
  const body = new ProtocolWriter().string(group);
  body.array([memberId], (id) => body.string(id).string(instanceId));
  return { apiKey: ApiKey.leaveGroup, apiVersion: 3, apiName: 'LeaveGroup', body: body.finish() };
}

/** Result of Heartbeat and LeaveGroup. A member that is no longer known is what leaving wants. */
export function decodeAcknowledged(payload: Buffer, doing: string): void {
  throwOnError(new ProtocolReader(payload), doing);
}

function throwOnError(reader: ProtocolReader, doing: string): void {
  reader.int32();
  const code = reader.int16();
  if (code !== KafkaCode.none) throw errorOfCode(code, doing);
}
