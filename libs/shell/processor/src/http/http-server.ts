// What operators and orchestrators ask over HTTP; bound to the loopback address unless configured. One request acts: a stopped
// partition tries again.
import { messageOf, Misconfigured } from '@flatline/base';
import type { HttpConfig } from '@flatline/config';
import Fastify, { type FastifyInstance } from 'fastify';
import { metricsOf } from './metrics.ts';
import type { Observed } from './observed.ts';
import { partitionRows } from './partition-rows.ts';
import { fillWarnings, unreadyReasons } from './readiness.ts';
import { recentDamage } from './store-damage.ts';

export interface HttpServer {
  /** `http://host:port`, with the port that was chosen where the configured one is 0. */
  readonly address: string;
  close(): Promise<void>;
}

/** All there are; docs/OPERATIONS.md lists them. */
export const PATHS = ['/livez', '/readyz', '/startupz', '/metrics', '/api/v1/pipelines', '/api/v1/partitions'] as const;
const RESTART_PATH = '/api/v1/partitions/:pipeline/:partition/restart';
const RESTART_CODES = { restarted: 202, notStopped: 409, absent: 404 } as const;

/** @throws Misconfigured where the address cannot be bound. */
export async function openHttpServer({ host, port }: HttpConfig, observed: Observed): Promise<HttpServer> {
  const server = Fastify();
  addHealth(server, observed);
  addApi(server, observed);
  try {
    const address = await server.listen({ host, port });
    return { address, close: () => server.close() };
  } catch (error) {
    await server.close();
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
      : `http.port ${port} on ${host} cannot be bound (${why}); choose another with --http-port or FLATLINE_HTTP_PORT, or 0 for any free one`,
    error,
  );
}

function addHealth(server: FastifyInstance, observed: Observed): void {
  const metrics = metricsOf(observed);
  server.get('/livez', () => ({ live: true }));
  server.get('/startupz', (_request, reply) => {
    const { hasStarted } = observed;
    return reply.code(hasStarted ? 200 : 503).send({ started: hasStarted });
  });
  server.get('/readyz', (_request, reply) => {
    const reasons = unreadyReasons(observed);
    const warnings = fillWarnings(observed);
    return reply.code(reasons.length === 0 ? 200 : 503).send({ ready: reasons.length === 0, reasons, warnings });
  });
  server.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.metrics()));
}

function addApi(server: FastifyInstance, observed: Observed): void {
  server.get('/api/v1/pipelines', () => ({
    instance: observed.instance,
    pipelines: observed.pipelines().map(({ tasks, standbys, instances, storeDrops, ...pipeline }) => ({
      ...pipeline,
      instances,
      partitions: tasks.map(({ partition }) => partition),
      damagedStores: recentDamage(storeDrops, observed.wallNow).length,
      standbys: standbys.map(({ partition }) => partition),
      liveEntries: tasks.reduce((sum, { liveEntries }) => sum + liveEntries, 0),
    })),
  }));
  server.get('/api/v1/partitions', () => ({
    instance: observed.instance,
    partitions: observed.pipelines().flatMap((pipeline) => partitionRows(observed.instance, pipeline)),
  }));
  server.post<{ Params: { pipeline: string; partition: string } }>(RESTART_PATH, (request, reply) => {
    // A browser names the page that asks; no page is to act on a processor that its visitor's machine can reach.
    if (request.headers.origin !== undefined) return reply.code(403).send({ error: 'not from a web page' });
    const { pipeline, partition } = request.params;
    const outcome = observed.restart(pipeline, /^\d{1,9}$/.test(partition) ? Number(partition) : -1);
    return reply.code(RESTART_CODES[outcome]).send({ instance: observed.instance, pipeline, partition, outcome });
  });
  server.setNotFoundHandler((request, reply) =>
    reply.code(404).send({ error: `no ${request.method} ${request.url.split('?')[0]!}`, paths: PATHS }),
  );
}
