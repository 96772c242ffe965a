// Heartbeats over HTTP: a request is a record in the pipeline's input, and is answered with 202 once it is in the log.
//
//   POST   /ingest/v1/PIPELINE/KEY     no body: a heartbeat; a JSON object: an event (docs/FORMATS.md)
//   DELETE /ingest/v1/PIPELINE/KEY     an explicit end
//   GET    /ingest/v1/PIPELINE/KEY     a WebSocket: its opening, each message and each pong is one of these
import cors from '@fastify/cors';
import limits from '@fastify/rate-limit';
import websocket from '@fastify/websocket';
import { type Clock, messageOf } from '@flatline/base';
import { type Certificate, contextOf, promptClose, serverOptions } from '@flatline/http';
import type { EventDecoder } from '@flatline/ports/formats';
import { type KafkaConnection, type KafkaOptions, openCluster, RecordTooLarge } from '@flatline/kafka';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { Server as TlsServer } from 'node:tls';
import { type Access, refusalOf } from './access.ts';
import { BeatWriter } from './beat-writer.ts';
import { eventOf } from './event-body.ts';
import { unbound } from './ingest-port.ts';
import { frameworkErrors, onError } from './refusals.ts';
import { type BeatSocket, closeSocket, POLICY, SocketBeats } from './socket-beats.ts';

export interface IngestOptions extends Access {
  readonly clock: Clock;
  readonly kafka: KafkaOptions;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** undefined: without TLS. */
  readonly certificate?: Certificate | undefined;
  /** By pipeline. */
  readonly inputs: ReadonlyMap<string, IngestInput>;
  readonly keyBytesMax: number;
  readonly eventBytesMax: number;
  /** Requests of one address, and messages of one socket. */
  readonly perSecondMax: number;
  readonly socketsMax: number;
  /** Between two pings of a socket: at most half of the shortest timeout, so that one may get lost. */
  readonly pingIntervalMs: number;
}

export interface IngestInput {
  readonly topic: string;
  /** Reads events as the pipeline does, without a registry. */
  readonly decoder: EventDecoder;
}

export interface IngestServer {
  /** `http://host:port`, or `https://…`. */
  readonly address: string;
  /** New connections get this one. @throws Misconfigured where it cannot be used: the one before goes on */
  renew(certificate: Certificate): void;
  /** Takes no more, and waits for what was taken. */
  close(): Promise<void>;
}

interface Writer {
  readonly writer: BeatWriter;
  readonly decoder: EventDecoder;
}
/** By pipeline. */
type Writers = ReadonlyMap<string, Writer>;

interface Place {
  readonly Params: { readonly pipeline: string; readonly key: string };
}

const SETTING = 'ingest.tls';
const PATH = '/ingest/v1/:pipeline/:key';
const PATH_SHOWN = 'POST, DELETE or a WebSocket at /ingest/v1/PIPELINE/KEY';
/** Requests of one pipeline that may wait for the brokers, beside a heartbeat of each socket; more get 503 at once. */
const REQUESTS_WAITING_MAX = 10_000;
/** A client that does not answer a closing frame for so long is not waited for, at a stop neither. */
const CLOSE_WITHIN_MS = 1_000;

/** @throws Misconfigured where the address cannot be bound */
export async function openIngestServer(options: IngestOptions): Promise<IngestServer> {
  // Since Node 24.9. The WebSockets' plugin would refuse other upgrades, as HTTP/2, which every request of the JDK's client offers.
  const more = {
    shouldUpgradeCallback: ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === 'websocket',
  };
  const served = serverOptions(options.certificate, { setting: SETTING, more });
  const connection = openCluster(options.kafka);
  const writers = writersOf(options, connection);
  const server = Fastify({
    ...served,
    bodyLimit: options.eventBytesMax,
    routerOptions: { maxParamLength: 3 * options.keyBytesMax },
    frameworkErrors: frameworkErrors(options),
  });
  const closeServer = promptClose(server, { clock: options.clock, hasSockets: true });
  await addRoutes(server, writers, options);
  const close = async (): Promise<void> => {
    await closeServer();
    await Promise.all([...writers.values()].map(({ writer }) => writer.close()));
    connection.close();
  };
  try {
    const { host, port } = options;
    const renew = (certificate: Certificate): void => {
      (server.server as unknown as TlsServer).setSecureContext(contextOf(certificate, SETTING));
    };
    return { address: await server.listen({ host, port }), renew, close };
  } catch (error) {
    await close();
    throw unbound(options, error);
  }
}

function writersOf({ clock, inputs, socketsMax }: IngestOptions, connection: KafkaConnection): Writers {
  const waitingMax = REQUESTS_WAITING_MAX + socketsMax;
  return new Map(
    [...inputs].map(([name, { topic, decoder }]) => {
      const writer = new BeatWriter({ clock, connection, topic, waitingMax });
      return [name, { writer, decoder }];
    }),
  );
}

async function addRoutes(server: FastifyInstance, writers: Writers, options: IngestOptions): Promise<void> {
  const { origins, perSecondMax, socketsMax, pingIntervalMs, eventBytesMax, clock } = options;
  await server.register(cors, { origin: [...origins], methods: ['POST', 'DELETE'] });
  await server.register(limits, { max: perSecondMax, timeWindow: 1_000 });
  await server.register(websocket, { options: { maxPayload: eventBytesMax, closeTimeout: CLOSE_WITHIN_MS } });
  // sendBeacon says that it is text, whatever it is.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  server.setErrorHandler(onError(options));
  server.setNotFoundHandler((request, reply) =>
    reply.code(404).send({ error: `no ${request.method} ${request.url.split('?')[0]!}: it is ${PATH_SHOWN}` }),
  );
  // The plugin's limit is a route's last `onRequest`: guesses count, too.
  const preParsing = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const refusal = refusalOf(request, options);
    if (refusal !== undefined) await reply.code(refusal.code).send({ error: refusal.error });
  };
  server.post<Place>(PATH, { preParsing }, async (request, reply) => {
    const place = placeOf(request, writers, options);
    if ('error' in place) return reply.code(place.code).send({ error: place.error });
    const event = eventOf((request.body as Buffer | undefined) ?? Buffer.alloc(0), place.decoder);
    if (typeof event === 'string') return reply.code(400).send({ error: event });
    return take(reply, place, event);
  });
  server.delete<Place>(PATH, { preParsing }, async (request, reply) => {
    const place = placeOf(request, writers, options);
    if ('error' in place) return reply.code(place.code).send({ error: place.error });
    return take(reply, place, null);
  });
  const sockets = new SocketBeats({ clock, socketsMax, perSecondMax, pingIntervalMs });
  server.get<Place>(PATH, { websocket: true, preParsing }, (opened, request) => {
    const socket = opened as BeatSocket;
    const place = placeOf(request, writers, options);
    if ('error' in place) closeSocket(socket, POLICY, place.error);
    else sockets.take(socket, place);
  });
  server.addHook('preClose', () => {
    sockets.close();
  });
}

async function take(
  reply: FastifyReply,
  { writer, key }: Destination,
  value: Uint8Array | null,
): Promise<FastifyReply> {
  try {
    await writer.write(key, value);
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

interface Destination extends Writer {
  readonly key: Uint8Array;
}

function placeOf(
  { params: { pipeline, key } }: FastifyRequest<Place>,
  writers: Writers,
  { keyBytesMax }: IngestOptions,
): Destination | { readonly code: 400 | 404; readonly error: string } {
  const writer = writers.get(pipeline);
  if (writer === undefined) return { code: 404, error: `no pipeline ${pipeline} takes heartbeats over HTTP` };
  const bytes = Buffer.from(key);
  if (bytes.length > 0 && bytes.length <= keyBytesMax) return { ...writer, key: bytes };
  return { code: 400, error: `a key has 1 to ${keyBytesMax} bytes (maxKeyBytes), this one ${bytes.length}` };
}
