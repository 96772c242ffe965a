// Lists over HTTP (Q1), and the pages of them that instances ask each other for.
//
//   GET  /api/v1/entries/PIPELINE?prefix=&attribute=NAME=VALUE&limit=&after=
//   POST /api/v1/entries/PIPELINE:page      of instances alone
import type { Clock } from '@flatline/base';
import type { FastifyInstance } from 'fastify';
import { unknownPipeline } from './entries-api.ts';
import { LIST, PAGE, queryBytes } from './entry-paths.ts';
import type { AttributeIs } from './here-pages.ts';
import { LIST_LIMIT_MAX, listOf, listPlace } from './listing.ts';
import { FORWARDED_HEADER } from './other-instances.ts';
import { pageAsked } from './page-body.ts';
import type { OwnerRows } from './owner-rows.ts';
import { bestOf, type PageSource } from './paging.ts';

export interface ListApi extends PageSource {
  owners(pipeline: string): Promise<OwnerRows | undefined>;
  pipelines(): Promise<readonly string[]>;
}

const LIMIT = 100;
const NO_PREFIX = new Uint8Array(0);

export function addListApi(server: FastifyInstance, api: ListApi, clock: Pick<Clock, 'monotonicMs'>): void {
  server.get<{ Params: { pipeline: string } }>(LIST, async ({ params, originalUrl }, reply) => {
    const { pipeline } = params;
    const asked = listAsked(originalUrl);
    if (typeof asked === 'string') return reply.code(400).send({ error: asked });
    const owners = await api.owners(pipeline);
    if (owners === undefined) return unknownPipeline(api, pipeline, reply);
    const { partitionCount } = owners;
    return reply.send(await listOf(api, clock, { pipeline, partitionCount, ...asked }));
  });
  server.post<{ Params: { pipeline: string }; Body: unknown }>(PAGE, async ({ params, body, headers }, reply) => {
    const asking = pageAsked(params.pipeline, body);
    if (asking === undefined) return reply.code(400).send({ error: 'no question of another instance for a page' });
    const found = bestOf(await api.pageHere(asking));
    if (found === undefined) return unknownPipeline(api, params.pipeline, reply);
    // An address outlives its instance, and loopback is another machine's: what is of another application is not ours.
    const group = headers[FORWARDED_HEADER];
    if (group !== found.group)
      return reply
        .code(400)
        .send({ error: `this is an instance of the group ${found.group}, not of ${String(group)}` });
    return reply.send(found);
  });
}

/** In words, where it is no list. What has no value is left out, as forms send it. */
function listAsked(url: string): Omit<Parameters<typeof listOf>[2], 'pipeline' | 'partitionCount'> | string {
  const said = (name: string): string | undefined => queryBytes(url, name)?.toString() || undefined;
  const [limitText, after] = [said('limit'), listPlace(said('after'))];
  const limit = limitText === undefined ? LIMIT : /^\d{1,6}$/.test(limitText) ? Number(limitText) : 0;
  if (limit < 1 || limit > LIST_LIMIT_MAX)
    return `limit is "${limitText}": 1 to ${LIST_LIMIT_MAX} entries are listed at once`;
  if (after === undefined) return 'after is what the answer before this one said there, or left out';
  const attribute = attributeIn(said('attribute'));
  if (attribute === 'none') return 'attribute is NAME=VALUE, percent-encoded';
  return { prefix: queryBytes(url, 'prefix') ?? NO_PREFIX, attribute, limit, after };
}

function attributeIn(text: string | undefined): AttributeIs | 'none' | undefined {
  if (text === undefined) return undefined;
  const at = text.indexOf('=');
  return at < 1 ? 'none' : { name: text.slice(0, at), equals: text.slice(at + 1) };
}
