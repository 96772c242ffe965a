// Acts of an operator over HTTP (Q4): each is appended to the input, and answered once it is in the log.
//
//   POST /api/v1/entries/PIPELINE/KEY:end|:release|:flush|:cancel|:pause|:resume|:trigger     of schedules {"id": "…"}: that one
//   POST /api/v1/entries/PIPELINE:evict     {"attribute": "…", "equals": "…"}: one record in each partition
//
// 202 with where it lies, 400 where it cannot be done, 503 where it may be in the log or not: asked again, it is another act.
import { callerOf } from '@flatline/http';
import { EVICTION_TEXT_BYTES_MAX } from '@flatline/ports/formats';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ACT_ON_KEY, ACT_ON_ALL } from '../directory/entry-paths.ts';
import { keyFields } from '../directory/entry-json.ts';
import type { ActOutcome, AskedAct } from './act.ts';

export interface ActsApi {
  /** undefined: there is no such pipeline here. */
  act(asked: AskedAct): Promise<ActOutcome | undefined>;
  /** Their names, for whoever asks for another. */
  pipelines(): Promise<readonly string[]>;
}

interface OfKey {
  readonly pipeline: string;
  readonly act: string;
  readonly key: string;
}

export function addActsApi(server: FastifyInstance, api: ActsApi): void {
  server.post<{ Params: OfKey; Body: unknown }>(ACT_ON_KEY, async (request, reply) => {
    const { params, body, ip: from } = request;
    const { pipeline, act } = params;
    const scheduleId = idIn(body);
    if (scheduleId === null) return reply.code(400).send({ error: 'the body is left out, or {"id": "a schedule"}' });
    const key = Buffer.from(params.key.slice(1), 'base64url');
    const asked = { pipeline, act, key, scheduleId, from, who: whoAsks(request) };
    const outcome = await api.act(asked);
    if (outcome?.kind !== 'sent') return refused(api, asked, outcome, reply);
    const { topic, records } = outcome;
    return reply.code(202).send({ pipeline, act, ...keyFields(key), topic, ...records[0] });
  });
  server.post<{ Params: Omit<OfKey, 'key'>; Body: unknown }>(ACT_ON_ALL, async (request, reply) => {
    const { params, body, ip: from } = request;
    const { pipeline, act } = params;
    const evicts = evictedBy(body);
    if (act === 'evict' && evicts === undefined)
      return reply.code(400).send({
        error: `the body is {"attribute": "…", "equals": "…"}, texts of at most ${EVICTION_TEXT_BYTES_MAX} bytes`,
      });
    const asked = { pipeline, act, key: undefined, evicts, from, who: whoAsks(request) };
    const outcome = await api.act(asked);
    if (outcome?.kind !== 'sent') return refused(api, asked, outcome, reply);
    const { topic, records } = outcome;
    return reply.code(202).send({ pipeline, act, ...evicts, topic, records });
  });
}

/** The guard has let him in, or nothing of the route is run (H2). */
function whoAsks(request: FastifyRequest): string {
  return callerOf(request)!.name;
}

async function refused(
  api: ActsApi,
  { pipeline }: AskedAct,
  outcome: Exclude<ActOutcome, { kind: 'sent' }> | undefined,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (outcome?.kind === 'refused') return reply.code(400).send({ error: outcome.why });
  // No `retry-after`: clients that heed it by themselves would do what this warns of.
  if (outcome?.kind === 'unsure') return reply.code(503).send({ error: outcome.why });
  if (outcome?.kind === 'busy') return reply.code(503).header('retry-after', 1).send({ error: outcome.why });
  const pipelines = await api.pipelines();
  if (pipelines.length === 0)
    return reply.code(503).header('retry-after', 1).send({ error: 'the pipelines are being opened' });
  return reply.code(400).send({ error: `there is no pipeline ${pipeline} here: ${pipelines.join(', ')}`, pipelines });
}

/** null: it is something else than an id. */
function idIn(body: unknown): string | undefined | null {
  if (body === undefined || body === null) return undefined;
  if (typeof body !== 'object' || Object.keys(body).some((name) => name !== 'id')) return null;
  if (!('id' in body)) return undefined;
  return typeof body.id === 'string' && body.id.length > 0 ? body.id : null;
}

function evictedBy(body: unknown): AskedAct['evicts'] {
  if (typeof body !== 'object' || body === null || !('attribute' in body) || !('equals' in body)) return undefined;
  const { attribute, equals, ...others } = body;
  if (!isText(attribute) || attribute === '' || !isText(equals) || Object.keys(others).length > 0) return undefined;
  return { attribute, equals };
}

function isText(text: unknown): text is string {
  return typeof text === 'string' && text.isWellFormed() && Buffer.byteLength(text) <= EVICTION_TEXT_BYTES_MAX;
}
