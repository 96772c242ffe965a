// Subscriptions over HTTP, as server-sent events (Q3):
//
//   GET /api/v1/events/PIPELINE?key=|prefix=       Last-Event-ID, or cursor=, to go on from there
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OutgoingHttpHeaders } from 'node:http';
import { messageOf, partitionOf } from '@flatline/base';
import type { Clock } from '@flatline/base';
import type { PipelineConfig } from '@flatline/config';
import { holdAnswer } from '@flatline/http';
import { kindOf } from '@flatline/kind-modules';
import { KIND_WORDS } from '@flatline/kind-modules/words';
import { unknownPipeline } from '../directory/entries-api.ts';
import { keyFields } from '../directory/entry-json.ts';
import { queryBytes } from '../directory/entry-paths.ts';
import type { PageSource } from '../directory/paging.ts';
import { CURSOR_LENGTH_MAX, readCursor } from './cursor.ts';
import { eventBytes } from './event-text.ts';
import { HttpSink } from './http-sink.ts';
import type { PipelinePush } from './pipeline-push.ts';
import type { Pushes } from './pushes.ts';
import { askedIn, keyQuestion, partitionOfQuestion, prefixQuestion, type Question } from './question.ts';

const EVENTS = '/api/v1/events/:pipeline';
const EVENT_STREAM = 'text/event-stream; charset=utf-8';

export interface EventsApi extends PageSource {
  pipelines(): Promise<readonly string[]>;
}

type Clocks = Pick<Clock, 'after'>;

export function addEventsApi(server: FastifyInstance, api: EventsApi, { pushes, clock }: EventsParts): void {
  server.get<{ Params: { pipeline: string } }>(EVENTS, async (request, reply) => {
    const config = pushes.pipeline(request.params.pipeline);
    if (config === undefined) return unknownPipeline(api, request.params.pipeline, reply);
    const asked = askedIn(request.originalUrl, config);
    if (typeof asked === 'string') return reply.code(400).send({ error: asked });
    if (request.method === 'HEAD') return reply.type(EVENT_STREAM).send();
    const waitMs = pushes.admit();
    if (waitMs > 0) return later(reply, waitMs, 'too many subscribe at once');
    let push: PipelinePush;
    try {
      push = await pushes.of(config, api);
    } catch (error) {
      return later(reply, 1_000, messageOf(error));
    }
    const { partitions } = push.topic;
    const question =
      'key' in asked ? keyQuestion(asked.key, partitionOf(asked.key, partitions)) : prefixQuestion(asked.prefix);
    const from = cursorIn(request, push, question);
    if (from === null)
      return reply.code(400).send({ error: 'Last-Event-ID, or cursor, is no id of an event of this subscription' });
    reply.hijack();
    begin({ push, config, question, from }, reply, clock);
    return reply;
  });
}

export interface EventsParts {
  readonly pushes: Pushes;
  readonly clock: Clocks;
}

interface Beginning {
  readonly push: PipelinePush;
  readonly config: PipelineConfig;
  readonly question: Question;
  readonly from: Map<number, number> | string | undefined;
}

function begin({ push, config, question, from }: Beginning, reply: FastifyReply, clock: Clocks): void {
  const response = reply.raw;
  response.writeHead(200, {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'content-type': EVENT_STREAM,
    'cache-control': 'no-store',
    // nginx would hold events back until its buffer is full.
    'x-accel-buffering': 'no',
  });
  const sink = new HttpSink(response, clock);
  sink.send(eventBytes('subscribed', JSON.stringify(firstWords(config, question))));
  holdAnswer(response);
  // It never rejects: what fails is tried again until the connection has gone.
  void push.subscribe(question, sink, from);
}

/** Promises to a subscriber. */
function firstWords(config: PipelineConfig, { by, bytes }: Question): Readonly<Record<string, unknown>> {
  const { name: pipeline, kind } = config;
  const { key, keyBase64 } = keyFields(bytes);
  const of = { [by]: key, ...(keyBase64 !== undefined && { [`${by}Base64`]: keyBase64 }) };
  const emits = kindOf(config).emits?.(config);
  if (emits === undefined) return { pipeline, kind, ...of };
  const detail = `${KIND_WORDS[kind].noun}s that open are not told of: emit of this pipeline lacks "opened"`;
  return { pipeline, kind, ...of, emits, ...(!emits.includes('opened') && { detail }) };
}

/** null: it is none. */
function cursorIn(
  { headers, originalUrl }: FastifyRequest,
  { topic }: PipelinePush,
  question: Question,
): Map<number, number> | string | undefined | null {
  const header = headers['last-event-id'];
  const text =
    (typeof header === 'string' && header !== '' ? header : queryBytes(originalUrl, 'cursor')?.toString()) ?? '';
  if (text === '') return undefined;
  if (text.length > CURSOR_LENGTH_MAX) return null;
  const read = readCursor(text, topic, partitionOfQuestion(question));
  if (read.kind === 'foreign') return 'the cursor is of a topic that is no more, or has other partitions now';
  return read.kind === 'cursor' ? read.vector : null;
}

function later(reply: FastifyReply, waitMs: number, error: string): FastifyReply {
  return reply
    .code(503)
    .header('retry-after', Math.ceil(waitMs / 1_000))
    .send({ error });
}
