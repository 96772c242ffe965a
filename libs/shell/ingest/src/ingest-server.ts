// Records over HTTP: a request is a record in the pipeline's input, or a batch of them, and is answered with 202 once all of it is in
// the log. Routes: routes.ts.
import cors from '@fastify/cors';
import limits from '@fastify/rate-limit';
import websocket from '@fastify/websocket';
import type { Clock } from '@flatline/base';
import { type Certificate, contextOf, listening, promptClose, serverOptions } from '@flatline/http';
import { type KafkaConnection, type KafkaOptions, openCluster } from '@flatline/kafka';
import Fastify, { type FastifyInstance } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { Server as TlsServer } from 'node:tls';
import type { Access } from './access.ts';
import type { IngestInputs } from './ingest-input.ts';
import { InputWriter } from './input-writer.ts';
import { unbound } from './ingest-port.ts';
import { frameworkErrors, onError } from './refusals.ts';
import { addRoutes, PATHS_SHOWN } from './routes.ts';
import type { Destination, Writers } from './sent-records.ts';

export interface IngestOptions extends Access {
  readonly clock: Clock;
  readonly kafka: KafkaOptions;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** undefined: without TLS. */
  readonly certificate?: Certificate | undefined;
  readonly inputs: IngestInputs;
  readonly eventBytesMax: number;
  /** Requests of one address, and messages of one socket. */
  readonly perSecondMax: number;
  readonly socketsMax: number;
  /** Between two pings of a socket: at most half of the shortest timeout, so that one may get lost. */
  readonly pingIntervalMs: number;
}

export interface IngestServer {
  /** `http://host:port`, or `https://…`. */
  readonly address: string;
  /** New connections get this one. @throws Misconfigured where it cannot be used: the one before goes on */
  renew(certificate: Certificate): void;
  /** Takes no more, and waits for what was taken. */
  close(): Promise<void>;
}

const SETTING = 'ingest.tls';
/** Records of one pipeline that may wait for the brokers, beside a heartbeat of each socket; more get 503 at once. */
const RECORDS_WAITING_MAX = 10_000;
/** A client that does not answer a closing frame for so long is not waited for, at a stop neither. */
const CLOSE_WITHIN_MS = 1_000;
/** A path has the longest key that any pipeline takes, each byte as three characters. */
const KEY_BYTES_LEAST = 1;

/** @throws Misconfigured where the address cannot be bound */
export async function openIngestServer(options: IngestOptions): Promise<IngestServer> {
  // Since Node 24.9. The WebSockets' plugin would refuse other upgrades, as HTTP/2, which every request of the JDK's client offers.
  const more = {
    shouldUpgradeCallback: ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === 'websocket',
  };
  const served = serverOptions(options.certificate, { setting: SETTING, more });
  const connection = openCluster(options.kafka);
  const writers = writersOf(options, connection);
  const keyBytesMax = Math.max(
    KEY_BYTES_LEAST,
    ...[...options.inputs.values()].map((input) => (typeof input === 'string' ? 0 : input.keyBytesMax)),
  );
  const server = Fastify({
    ...served,
    bodyLimit: options.eventBytesMax,
    routerOptions: { maxParamLength: 3 * keyBytesMax },
    frameworkErrors: frameworkErrors(options),
  });
  const closeServer = promptClose(server, { clock: options.clock, hasSockets: true });
  await addPlugins(server, options);
  addRoutes(server, writers, options);
  const close = async (): Promise<void> => {
    await closeServer();
    for (const each of writers.values()) if (typeof each !== 'string') await each.writer.close();
    connection.close();
  };
  try {
    const { host, port } = options;
    const renew = (certificate: Certificate): void => {
      (server.server as unknown as TlsServer).setSecureContext(contextOf(certificate, SETTING));
    };
    return { address: await listening(server, { host, port }), renew, close };
  } catch (error) {
    await close();
    throw unbound(options, error);
  }
}

function writersOf({ clock, inputs, socketsMax }: IngestOptions, connection: KafkaConnection): Writers {
  const waitingMax = RECORDS_WAITING_MAX + socketsMax;
  return new Map(
    [...inputs].map(([pipeline, input]): [string, Destination | string] => {
      if (typeof input === 'string') return [pipeline, input];
      const writer = new InputWriter({ clock, connection, topic: input.topic, waitingMax });
      return [pipeline, { pipeline, input, writer }];
    }),
  );
}

async function addPlugins(server: FastifyInstance, options: IngestOptions): Promise<void> {
  const { origins, perSecondMax, eventBytesMax } = options;
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
    reply.code(404).send({ error: `no ${request.method} ${request.url.split('?')[0]!}: it is ${PATHS_SHOWN}` }),
  );
}
