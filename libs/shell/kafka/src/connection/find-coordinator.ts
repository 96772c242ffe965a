import { errorOfCode } from './foreign-errors.ts';
import { ApiKey, type KafkaRequest } from './kafka-request.ts';
import type { NodeAddress } from './metadata.ts';
import { ProtocolReader, ProtocolWriter } from './protocol-bytes.ts';

export type CoordinatorKind = 'group' | 'transaction';

const KINDS = { group: 0, transaction: 1 } as const;

export function findCoordinatorRequest(kind: CoordinatorKind, key: string): KafkaRequest {
  const body = new ProtocolWriter().string(key).int8(KINDS[kind]).finish();
  return { apiKey: ApiKey.findCoordinator, apiVersion: 2, apiName: 'FindCoordinator', body };
}

export function decodeFindCoordinator(payload: Buffer, doing: string): NodeAddress {
  const reader = new ProtocolReader(payload);
  reader.int32();
  const code = reader.int16();
  const message = reader.nullableString();
  if (code !== 0) throw errorOfCode(code, doing, message);
  return { nodeId: reader.int32(), host: reader.string(), port: reader.int32() };
}
