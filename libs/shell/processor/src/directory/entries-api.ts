// Look-ups over HTTP (Q1, Q2): of a key, and of up to 100 at once.
//
//   GET  /api/v1/entries/PIPELINE/KEY       200 live, 404 none, 503 moving or restoring; ?proof=now: as of all that was
//                                           acknowledged before, in the body of the next "proof": "now"
//   POST /api/v1/entries/PIPELINE:lookup    {"keys": ["a", {"base64": "/wA="}]}: {"entries": [...]}, in their order
//   GET  /api/v1/owners/PIPELINE            who has each partition, and who stands by
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Answers, type Asked, ask } from './asking.ts';
import type { EntryAnswer } from './entry-answer.ts';
import { BY_KEY, LOOK_UP } from './entry-paths.ts';
import { KEYS_MAX } from './key-chunks.ts';
import { FORWARDED_HEADER } from './other-instances.ts';
import type { OwnerRows } from './owner-rows.ts';
import { afterwards, type Prompt } from './prompt.ts';

export interface EntriesApi extends Asked {
  /** undefined: there is no such pipeline here. */
  owners(pipeline: string): Promise<OwnerRows | undefined>;
  /** Their names, for whoever asks for another. */
  pipelines(): Promise<readonly string[]>;
}

const STATUS = { live: 200, none: 404, moving: 503, restoring: 503 } as const;

export function addEntriesApi(server: FastifyInstance, api: EntriesApi): void {
  // An answer that is at hand is sent without a promise.
  server.get<{ Params: { pipeline: string; key: string }; Querystring: object }>(BY_KEY, (request, reply) => {
    const { params, headers, query } = request;
    const isNow = proofOf(query as object);
    if (isNow === undefined) return reply.code(400).send({ error: PROOFS });
    const { pipeline } = params;
    const keys = [Buffer.from(params.key, 'base64url')];
    const answers = ask(api, { pipeline, keys, isNow, forwardedBy: forwardedBy(headers) });
    return sent(api, pipeline, reply, answers, ([answer]) =>
      sayWhenToRetry(reply, answer!).code(STATUS[answer!.state]).send(answer),
    );
  });
  server.post<{ Params: { pipeline: string }; Body: unknown }>(LOOK_UP, ({ params, body, headers }, reply) => {
    const { pipeline } = params;
    const keys = keysOf(body);
    if (typeof keys === 'string') return reply.code(400).send({ error: keys });
    const isNow = proofOf(body as object);
    if (isNow === undefined) return reply.code(400).send({ error: PROOFS });
    const answers = ask(api, { pipeline, keys, isNow, forwardedBy: forwardedBy(headers) });
    return sent(api, pipeline, reply, answers, (entries) => reply.send({ entries }));
  });
  server.get<{ Params: { pipeline: string } }>('/api/v1/owners/:pipeline', async ({ params }, reply) => {
    const rows = await api.owners(params.pipeline);
    return rows === undefined ? unknownPipeline(api, params.pipeline, reply) : reply.send(rows);
  });
}

/** undefined: it is sent. A reply can be waited for, and Fastify would. */
function sent(
  api: EntriesApi,
  pipeline: string,
  reply: FastifyReply,
  answers: Prompt<Answers>,
  send: (answers: readonly EntryAnswer[]) => FastifyReply,
): Promise<FastifyReply> | undefined {
  const sending = afterwards(answers, (said) => {
    if (said === undefined) return unknownPipeline(api, pipeline, reply);
    return typeof said === 'string' ? reply.code(400).send({ error: said }) : send(said);
  });
  return sending instanceof Promise ? sending : undefined;
}

const PROOFS = 'proof is "now", or left out';

/** True: it is asked for; undefined: something else is. */
function proofOf(asked: object): boolean | undefined {
  if (!('proof' in asked)) return false;
  return asked.proof === 'now' ? true : undefined;
}

function forwardedBy(headers: Readonly<Record<string, unknown>>): string | undefined {
  const group = headers[FORWARDED_HEADER];
  if (group === undefined) return undefined;
  return typeof group === 'string' ? group : '';
}

function sayWhenToRetry(reply: FastifyReply, { retryAfterMs }: EntryAnswer): FastifyReply {
  return retryAfterMs === undefined ? reply : reply.header('retry-after', Math.ceil(retryAfterMs / 1_000));
}

export async function unknownPipeline(
  api: Pick<EntriesApi, 'pipelines'>,
  pipeline: string,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const pipelines = await api.pipelines();
  // Not 404, which is a proven none: a directory that has just started knows nothing yet.
  if (pipelines.length === 0)
    return reply.code(503).header('retry-after', 1).send({ error: 'the pipelines are being opened' });
  return reply.code(400).send({ error: `there is no pipeline ${pipeline} here: ${pipelines.join(', ')}`, pipelines });
}

/** In words, where they are none. */
function keysOf(body: unknown): readonly Uint8Array[] | string {
  const form = '{"keys": ["a key", {"base64": "/wA="}]}';
  if (typeof body !== 'object' || body === null || !('keys' in body) || !Array.isArray(body.keys))
    return `the body is JSON with the keys to look up: ${form}`;
  const unknown = Object.keys(body).find((name) => name !== 'keys' && name !== 'proof');
  if (unknown !== undefined) return `there is no field ${unknown} here: there are keys, proof`;
  const { keys } = body;
  if (keys.length === 0 || keys.length > KEYS_MAX)
    return `keys has ${keys.length} of them: 1 to ${KEYS_MAX} are answered at once`;
  const bytes = keys.map(keyOf);
  const wrong = bytes.findIndex((each) => each === undefined);
  return wrong < 0 ? (bytes as readonly Uint8Array[]) : `keys[${wrong}] is neither a text nor base64: ${form}`;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function keyOf(key: unknown): Uint8Array | undefined {
  if (typeof key === 'string') return Buffer.from(key, 'utf8');
  if (typeof key !== 'object' || key === null || !('base64' in key)) return undefined;
  const { base64 } = key;
  return typeof base64 === 'string' && BASE64.test(base64) ? Buffer.from(base64, 'base64') : undefined;
}
