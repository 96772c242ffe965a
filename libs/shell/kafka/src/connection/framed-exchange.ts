// One request and its answer on a kafkajs Connection: by its queue and with its correlation ids, but the request's bytes go
// to the socket as they are. kafkajs' own `send` copies them twice, each time into zeroed memory of up to twice their size.
import type Connection from 'kafkajs/src/network/connection.js';
import { type KafkaRequest } from './kafka-request.ts';
import { ProtocolWriter } from './protocol-bytes.ts';

/** Size, api key, api version, correlation id. */
const HEAD_BYTES = 4 + 2 + 2 + 4;

/** The payload of the answer, without its size and correlation id. Rejects when the connection ends before it came. */
export async function exchange(connection: Connection, request: KafkaRequest): Promise<Buffer> {
  connection.failIfNotConnected();
  const { apiKey, apiVersion, apiName } = request;
  const correlationId = connection.nextCorrelationId();
  const { payload } = await new Promise<{ readonly payload: Buffer }>((resolve, reject) => {
    connection.requestQueue.push({
      entry: { apiKey, apiVersion, apiName, correlationId, resolve, reject },
      expectResponse: true,
      requestTimeout: 0,
      sendRequest: () => {
        write(connection, request, correlationId);
      },
    });
  });
  return payload;
}

function write({ socket, clientId }: Connection, request: KafkaRequest, correlationId: number): void {
  const parts = Buffer.isBuffer(request.body) ? [request.body] : request.body;
  const bodyBytes = parts.reduce((sum, part) => sum + part.length, 0);
  const client = Buffer.byteLength(clientId);
  const head = new ProtocolWriter(HEAD_BYTES + 2 + client)
    .int32(HEAD_BYTES - 4 + 2 + client + bodyBytes)
    .int16(request.apiKey)
    .int16(request.apiVersion)
    .int32(correlationId)
    .string(clientId)
    .finish();
  // One call into the system for all of them.
  socket!.cork();
  socket!.write(head);
  for (const part of parts) socket!.write(part);
  socket!.uncork();
}
