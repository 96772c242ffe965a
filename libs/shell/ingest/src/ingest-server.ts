// Heartbeats over HTTP: a request is a record in the pipeline's input, and is answered with 202 once it is in the log.
//
//   POST   /ingest/v1/PIPELINE/KEY     no body: a heartbeat; a JSON object: an event (docs/FORMATS.md)
//   DELETE /ingest/v1/PIPELINE/KEY     an explicit end
//   GET    /ingest/v1/PIPELINE/KEY     a WebSocket: its opening, each message and each pong is one of these
import cors from '@fastify/cors';
import limits from '@fastify/rate-limit';
import websocket from '@fastify/websocket';
import { type Clock, messageOf, Misconfigured } from '@flatline/base';
import { type KafkaConnection, type KafkaOptions, openCluster, RecordTooLarge } from '@flatline/kafka';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Access, refusalOf } from './access.ts';
import { BeatWriter } from './beat-writer.ts';
import { eventOf } from './event-body.ts';
import { type BeatSocket, SocketBeats } from './socket-beats.ts';

export interface IngestOptions extends Access {
  readonly clock: Clock;
  readonly kafka: KafkaOptions;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Input topic by pipeline. */
  readonly inputs: ReadonlyMap<string, string>;
  readonly keyBytesMax: number;
  readonly eventBytesMax: number;
  /** Requests of one address, and messages of one socket. */
  readonly perSecondMax: number;
  readonly socketsMax: number;
  /** Between two pings of a socket: at most half of the shortest timeout, so that one may get lost. */
  readonly pingIntervalMs: number;
}

export interface IngestServer {
  /** `http://host:port`. */
  readonly address: string;
  /** Takes no more, and waits for what was taken. */
  close(): Promise<void>;
}

interface Place {
  readonly Params: { readonly pipeline: string; readonly key: string };
}

const PATH = '/ingest/v1/:pipeline/:key';
/** Requests of one pipeline that may wait for the brokers, beside a heartbeat of each socket; more get 503 at once. */
const REQUESTS_WAITING_MAX = 10_000;

/** @throws Misconfigured where the address cannot be bound */
export async function openIngestServer(options: IngestOptions): Promise<IngestServer> {
  const connection = openCluster(options.kafka);
  const writers = writersOf(options, connection);
  const server = Fastify({
    bodyLimit: options.eventBytesMax,
    routerOptions: { maxParamLength: 3 * options.keyBytesMax },
  });
  await addRoutes(server, writers, options);
  const close = async (): Promise<void> => {
    await server.close();
    await Promise.all([...writers.values()].map((writer) => writer.close()));
    connection.close();
  };
  try {
    const { host, port } = options;
    return { address: await server.listen({ host, port }), close };
  } catch (error) {
    await close();
    const { host, port } = options;
    throw new Misconfigured(`ingest.port ${port} on ingest.host ${host} cannot be bound (${messageOf(error)})`, error);
  }
}

function writersOf(
  { clock, inputs, socketsMax }: IngestOptions,
  connection: KafkaConnection,
): ReadonlyMap<string, BeatWriter> {
  const waitingMax = REQUESTS_WAITING_MAX + socketsMax;
  return new Map([...inputs].map(([name, topic]) => [name, new BeatWriter({ clock, connection, topic, waitingMax })]));
}

async function addRoutes(
  server: FastifyInstance,
  writers: ReadonlyMap<string, BeatWriter>,
  options: IngestOptions,
): Promise<void> {
  const { origins, perSecondMax, socketsMax, pingIntervalMs, eventBytesMax, clock } = options;
  await server.register(cors, { origin: [...origins], methods: ['POST', 'DELETE'] });
  await server.register(limits, { max: perSecondMax, timeWindow: 1_000 });
  await server.register(websocket, { options: { maxPayload: eventBytesMax } });
  // sendBeacon says that it is text, whatever it is.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  server.addHook('onRequest', async (request, reply) => {
    const refusal = refusalOf(request, options);
    if (refusal !== undefined) await reply.code(refusal.code).send({ error: refusal.error });
  });
  server.post<Place>(PATH, async (request, reply) => {
    const event = eventOf((request.body as Buffer | undefined) ?? Buffer.alloc(0));
    if (typeof event === 'string') return reply.code(400).send({ error: event });
    return take(request, reply, { writers, value: event, options });
  });
  server.delete<Place>(PATH, async (request, reply) => take(request, reply, { writers, value: null, options }));
  const sockets = new SocketBeats({ clock, socketsMax, perSecondMax, pingIntervalMs });
  server.get<Place>(PATH, { websocket: true }, (opened, request) => {
    const socket = opened as BeatSocket;
    const found = placeOf(request, writers, options);
    if ('error' in found) socket.close(1008, found.error);
    else sockets.take(socket, (value) => found.writer.write(found.key, value));
  });
  server.addHook('preClose', () => {
    sockets.close();
  });
}

interface Taking {
  readonly writers: ReadonlyMap<string, BeatWriter>;
  readonly value: Uint8Array | null;
  readonly options: IngestOptions;
}

async function take(
  request: FastifyRequest<Place>,
  reply: FastifyReply,
  { writers, value, options }: Taking,
): Promise<FastifyReply> {
  const found = placeOf(request, writers, options);
  if ('error' in found) return reply.code(found.code).send({ error: found.error });
  try {
    await found.writer.write(found.key, value);
    return await reply.code(202).send({ accepted: true });
  } catch (error) {
    if (error instanceof RecordTooLarge) return reply.code(413).send({ error: error.message });
    // It may be in the log all the same: a heartbeat that is sent again does no harm.
    return reply
      .code(503)
      .header('retry-after', '1')
      .send({ error: messageOf(error) });
  }
}

function placeOf(
  { params: { pipeline, key } }: FastifyRequest<Place>,
  writers: ReadonlyMap<string, BeatWriter>,
  { keyBytesMax }: IngestOptions,
): { readonly writer: BeatWriter; readonly key: Uint8Array } | { readonly code: 400 | 404; readonly error: string } {
  const writer = writers.get(pipeline);
  if (writer === undefined) return { code: 404, error: `no pipeline ${pipeline} takes heartbeats over HTTP` };
  const bytes = Buffer.from(key);
  if (bytes.length > 0 && bytes.length <= keyBytesMax) return { writer, key: bytes };
  return { code: 400, error: `a key has 1 to ${keyBytesMax} bytes (maxKeyBytes), this one ${bytes.length}` };
}
