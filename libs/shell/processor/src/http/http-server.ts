// Answers operators and orchestrators over HTTP; bound to the loopback address unless configured. One request acts: it has a
// stopped partition try again.
import { type Clock, messageOf, Misconfigured } from '@flatline/base';
import type { HttpConfig } from '@flatline/config';
import { promptClose, REQUEST_WITHIN_MS } from '@flatline/ingest';
import Fastify, { type FastifyInstance } from 'fastify';
import { Registry } from '@prometheus-io/client';
import { addEntriesApi } from '../directory/entries-api.ts';
import { routedUrl } from '../directory/entry-paths.ts';
import { ownerRows } from '../directory/owner-rows.ts';
import { askedOf } from './asked-of.ts';
import type { Looked, Whole } from './observed.ts';
import { partitionRows } from './partition-rows.ts';
import { pipelineRows } from './pipeline-rows.ts';
import { unreadyReasons } from './readiness.ts';
import { statsWindows } from './stats-windows.ts';
import { warningsOf } from './warnings.ts';

export interface HttpServer {
  /** `http://host:port`, with the port that was chosen where the configured one is 0. */
  readonly address: string;
  close(): Promise<void>;
}

/** All there are; docs/OPERATIONS.md lists them. */
export const PATHS = [
  '/livez',
  '/readyz',
  '/startupz',
  '/metrics',
  '/api/v1/pipelines',
  '/api/v1/partitions',
  '/api/v1/workers',
  '/api/v1/entries',
  '/api/v1/owners',
] as const;
const STATS_PATH = '/api/v1/stats/:pipeline';
/** The longest key, in base64url. */
const PARAM_LENGTH_MAX = 90_000;
const RESTART_PATH = '/api/v1/partitions/:pipeline/:partition/restart';
const RESTART_CODES = { restarted: 202, notStopped: 409, absent: 404 } as const;

/** @throws Misconfigured where the address cannot be bound. */
export async function openHttpServer(
  { host, port }: HttpConfig,
  whole: Whole,
  clock: Pick<Clock, 'after' | 'wallMs'>,
): Promise<HttpServer> {
  const server = Fastify({
    requestTimeout: REQUEST_WITHIN_MS,
    rewriteUrl: ({ url = '' }) => routedUrl(url),
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
  });
  const close = promptClose(server, { clock, hasSockets: false });
  addHealth(server, whole);
  addApi(server, whole);
  addEntries(server, whole, clock);
  try {
    const address = await server.listen({ host, port });
    return { address, close };
  } catch (error) {
    await close();
    throw unbound({ host, port }, error);
  }
}

const WRONG_HOST: readonly unknown[] = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'];

function unbound({ host, port }: HttpConfig, error: unknown): Misconfigured {
  const why = messageOf(error);
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return new Misconfigured(
    WRONG_HOST.includes(code)
      ? `http.host ${host} is no address of this machine (${why}); correct it or FLATLINE_HTTP_HOST: 127.0.0.1, or 0.0.0.0 for all`
      : `http.port ${port} on ${host} cannot be bound (${why}); choose another by http.port, in flatline run by --http-port or FLATLINE_HTTP_PORT, or 0 for any free one`,
    error,
  );
}

function addHealth(server: FastifyInstance, whole: Whole): void {
  server.get('/livez', async (_request, reply) => {
    const { silences } = await whole.look();
    return reply.code(silences.length === 0 ? 200 : 503).send({ live: silences.length === 0, silences });
  });
  server.get('/startupz', async (_request, reply) => {
    const { processes, absences } = await whole.look();
    const started = absences.length === 0 && processes.every(({ hasStarted }) => hasStarted);
    return reply.code(started ? 200 : 503).send({ started });
  });
  server.get('/readyz', async (_request, reply) => {
    const looked = await whole.look();
    const reasons = unreadyReasons(looked);
    const ready = reasons.length === 0;
    return reply.code(ready ? 200 : 503).send({ ready, reasons, warnings: warningsOf(looked) });
  });
  server.get('/metrics', async (_request, reply) =>
    reply.type(Registry.PROMETHEUS_CONTENT_TYPE).send(await whole.metrics()),
  );
}

function addApi(server: FastifyInstance, whole: Whole): void {
  const { instance } = whole;
  server.get('/api/v1/pipelines', async () => ({ instance, pipelines: pipelineRows((await whole.look()).processes) }));
  server.get('/api/v1/partitions', async () => ({
    instance,
    partitions: (await whole.look()).processes.flatMap(partitionRows),
  }));
  server.get('/api/v1/workers', async () => ({ instance, workers: (await whole.look()).workers }));
  server.get<{ Params: { pipeline: string } }>(STATS_PATH, async (request, reply) => {
    const { pipeline } = request.params;
    const { processes } = await whole.look();
    const isKnown = processes.some(({ pipelines }) => pipelines.some(({ name }) => name === pipeline));
    if (!isKnown) return reply.code(404).send({ error: `no pipeline ${pipeline}` });
    return { instance, pipeline, windows: statsWindows(processes, pipeline) };
  });
  server.post<{ Params: { pipeline: string; partition: string } }>(RESTART_PATH, async (request, reply) => {
    // A browser names the page that asks; no page is to act on a processor that its visitor's machine can reach.
    if (request.headers.origin !== undefined) return reply.code(403).send({ error: 'not from a web page' });
    const { pipeline, partition } = request.params;
    const outcome = await whole.restart(pipeline, /^\d{1,9}$/.test(partition) ? Number(partition) : -1);
    return reply.code(RESTART_CODES[outcome]).send({ instance, pipeline, partition, outcome });
  });
  server.setNotFoundHandler((request, reply) =>
    reply.code(404).send({ error: `no ${request.method} ${request.originalUrl.split('?')[0]!}`, paths: PATHS }),
  );
}

function addEntries(server: FastifyInstance, whole: Whole, clock: Pick<Clock, 'wallMs'>): void {
  const processes = async (): Promise<Looked['processes']> => (await whole.look()).processes;
  addEntriesApi(server, {
    ...askedOf(whole, clock),
    owners: async (pipeline) => ownerRows(await processes(), pipeline),
    pipelines: async () => [
      ...new Set((await processes()).flatMap(({ pipelines }) => pipelines.map(({ name }) => name))),
    ],
  });
}
