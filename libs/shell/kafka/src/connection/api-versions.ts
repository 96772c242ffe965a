import type { ApiVersionRanges } from 'kafkajs/src/network/connection.js';
import { errorOfCode } from './foreign-errors.ts';
import { ApiKey, type KafkaRequest } from './kafka-request.ts';
import { ProtocolReader } from './protocol-bytes.ts';

/** Version 0: every broker answers it, whatever else it speaks. */
export function apiVersionsRequest(): KafkaRequest {
  return { apiKey: ApiKey.apiVersions, apiVersion: 0, apiName: 'ApiVersions', body: Buffer.alloc(0) };
}

export function decodeApiVersions(payload: Buffer): ApiVersionRanges {
  const reader = new ProtocolReader(payload);
  const code = reader.int16();
  if (code !== 0) throw errorOfCode(code, 'agree on protocol versions');
  return Object.fromEntries(
    reader.array((item) => [item.int16(), { minVersion: item.int16(), maxVersion: item.int16() }] as const),
  );
}
