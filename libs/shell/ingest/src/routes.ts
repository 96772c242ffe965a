//   POST   /ingest/v1/PIPELINE/KEY     a session: no body a heartbeat, a JSON object an event; an item; a message and its schedule
//   DELETE /ingest/v1/PIPELINE/KEY     an explicit end; cancels a window, a schedule
//   GET    /ingest/v1/PIPELINE/KEY     a WebSocket, of sessions: its opening, each message and each pong is a heartbeat or event
//   POST   /ingest/v1/PIPELINE         a JSON array of up to a thousand of them
import { type Clock, messageOf } from '@flatline/base';
import { RecordTooLarge } from '@flatline/kafka';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Access, refusalOf } from './access.ts';
import { BATCH_BYTES_MAX, batchIn, type BatchRecord } from './record-batch.ts';
import { Refused } from './refused.ts';
import { Repeats } from './repeats.ts';
import { headersOf, IDEMPOTENCY_KEY, idempotencyKeyIn, idempotencyKeyOf } from './sent-headers.ts';
import { type Destination, destinationOf, type NamedRecord, namedRecordOf, type Writers } from './sent-records.ts';
import { type BeatSocket, closeSocket, POLICY, SocketBeats } from './socket-beats.ts';

export interface RouteOptions extends Access {
  readonly clock: Clock;
  readonly eventBytesMax: number;
  readonly perSecondMax: number;
  readonly socketsMax: number;
  readonly pingIntervalMs: number;
}

interface Place {
  readonly Params: { readonly pipeline: string; readonly key: string };
}

const BATCH_PATH = '/ingest/v1/:pipeline';
const PATH = `${BATCH_PATH}/:key`;
export const PATHS_SHOWN =
  'POST, DELETE or a WebSocket at /ingest/v1/PIPELINE/KEY, or a POST of several records at /ingest/v1/PIPELINE';
const NO_BODY = Buffer.alloc(0);

export function addRoutes(server: FastifyInstance, writers: Writers, options: RouteOptions): void {
  const { clock } = options;
  const repeats = new Repeats(clock);
  const write = ({ destination, record, idempotencyKey }: NamedRecord): Promise<void> => {
    const { pipeline, writer } = destination;
    const send = (): Promise<void> => writer.write(record);
    if (idempotencyKey === undefined) return send();
    return repeats.once([pipeline, Buffer.from(record.key).toString('base64'), idempotencyKey], record, send);
  };
  // The plugin's limit is a route's last `onRequest`: guesses count, too.
  const preParsing = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const refusal = refusalOf(request, options);
    if (refusal !== undefined) await reply.code(refusal.code).send({ error: refusal.error });
  };
  const one =
    (valueOf: (request: FastifyRequest) => Uint8Array | null) =>
    async (request: FastifyRequest<Place>, reply: FastifyReply): Promise<FastifyReply> => {
      const { pipeline, key } = request.params;
      const destination = destinationOf(pipeline, writers);
      const headers = headersOf(request.headers, destination.input.headers, 'latin1');
      const idempotencyKey = idempotencyKeyIn(request.headers[IDEMPOTENCY_KEY]);
      const sent = { value: valueOf(request), headers, idempotencyKey };
      return answered(reply, await Promise.allSettled([write(namedRecordOf(destination, key, sent, clock.wallMs()))]));
    };
  server.post<Place>(
    PATH,
    { preParsing },
    one(({ body }) => (body as Buffer | undefined) ?? NO_BODY),
  );
  server.delete<Place>(
    PATH,
    { preParsing },
    one(() => null),
  );
  server.post<Place>(BATCH_PATH, { preParsing, bodyLimit: BATCH_BYTES_MAX }, async (request, reply) => {
    const destination = destinationOf(request.params.pipeline, writers);
    const key = idempotencyKeyIn(request.headers[IDEMPOTENCY_KEY]);
    const given = batchIn((request.body as Buffer | undefined) ?? NO_BODY, options.eventBytesMax);
    // All are looked at before one is written.
    const records = given.map((each, i) => located(i, () => batchRecord(destination, each, key && `${key}/${i}`)));
    return answered(reply, await Promise.allSettled(records.map(write)), records.length);
  });
  addSockets(server, writers, { ...options, preParsing });

  function batchRecord(to: Destination, each: BatchRecord, ofBatch: string | undefined): NamedRecord {
    const headers = headersOf(each.headers, to.input.headers, 'utf8');
    const idempotencyKey = idempotencyKeyOf(each.idempotencyKey === undefined ? ofBatch : each.idempotencyKey);
    return namedRecordOf(to, each.key, { value: each.value, headers, idempotencyKey }, clock.wallMs());
  }
}

interface SocketParts extends RouteOptions {
  readonly preParsing: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

function addSockets(server: FastifyInstance, writers: Writers, { preParsing, ...limits }: SocketParts): void {
  const sockets = new SocketBeats(limits);
  server.get<Place>(PATH, { websocket: true, preParsing }, (opened, { params: { pipeline, key } }) => {
    const socket = opened as BeatSocket;
    try {
      const { writer, input } = destinationOf(pipeline, writers);
      if (!input.beats) throw new Refused(400, `${pipeline} has no sessions: a WebSocket is a heartbeat`);
      const sent = { value: NO_BODY, headers: [], idempotencyKey: undefined };
      const { record } = namedRecordOf({ pipeline, input, writer }, key, sent, limits.clock.wallMs());
      sockets.take(socket, { writer, key: record.key, input });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      closeSocket(socket, POLICY, error.message);
    }
  });
  server.addHook('preClose', () => {
    sockets.close();
  });
}

/** @throws Refused, which names the record of the batch */
function located<T>(i: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new Refused(error.code, `records[${i}]: ${error.message}; none of the batch was written`);
  }
}

type Outcomes = readonly PromiseSettledResult<void>[];

/** `count`: of the records of a batch. */
function answered(reply: FastifyReply, outcomes: Outcomes, count?: number): FastifyReply {
  const reasons = outcomes.map((each) => (each.status === 'rejected' ? (each.reason as unknown) : undefined));
  const failed = reasons.flatMap((reason, i) => (reason === undefined ? [] : [i]));
  const beside = count === undefined ? {} : { count, failed };
  if (failed.length === 0) return reply.code(202).send({ accepted: true, ...(count !== undefined && { count }) });
  // Refusals that may pass if sent again come first: a sender that reads no further sends again.
  const worst = failed.toSorted((a, b) => codeOf(reasons[b]) - codeOf(reasons[a]))[0]!;
  const code = codeOf(reasons[worst]);
  // It may be in the log all the same: a heartbeat that is sent again does no harm, and what has an idempotency key need not.
  if (code === 503) void reply.header('retry-after', '1');
  return reply.code(code).send({ error: messageOf(reasons[worst]), ...beside });
}

function codeOf(reason: unknown): number {
  if (reason instanceof Refused) return reason.code;
  return reason instanceof RecordTooLarge ? 413 : 503;
}
