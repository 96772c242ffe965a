// Answers operators and orchestrators over HTTP; bound to the loopback address unless it is protected. Routes are registered behind
// the guard, by the roles of route-roles.ts.
import { type Clock, messageOf, Misconfigured } from '@flatline/base';
import type { HttpConfig } from '@flatline/config';
import { addGuard, listening, promptClose, serverOptions } from '@flatline/http';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Server as TlsServer } from 'node:tls';
import { Registry } from '@prometheus-io/client';
import { addActsApi } from '../acts/acts-api.ts';
import type { Asked } from '../directory/asking.ts';
import { addEntriesApi } from '../directory/entries-api.ts';
import { addListApi } from '../directory/list-api.ts';
import { routedUrl } from '../directory/entry-paths.ts';
import { type OwnerRows, ownerRows } from '../directory/owner-rows.ts';
import type { PageSource } from '../directory/paging.ts';
import { addEventsApi } from '../push/events-api.ts';
import { Pushes, type PushesParts } from '../push/pushes.ts';
import { askedOf, type There } from './asked-of.ts';
import { HttpAccess } from './http-access.ts';
import { refuseUnknownParameters } from './known-parameters.ts';
import { openapiDocument } from './openapi/document.ts';
import { addDashboard } from './dashboard-page.ts';
import type { Looked, Whole } from './observed.ts';
import { partitionRows } from './partition-rows.ts';
import { pipelineRows } from './pipeline-rows.ts';
import { probeRows } from './probe-rows.ts';
import { ROUTE_ROLES } from './route-roles.ts';
import { sayInOurWords, takeEmptyBodies } from './refused-bodies.ts';
import { unreadyReasons } from './readiness.ts';
import { statsWindows } from './stats-windows.ts';
import { VERSION } from '../version.ts';
import { Letters } from '../letters/letters.ts';
import { addLettersApi } from '../letters/letters-api.ts';
import { addWatchApi } from '../watch/watch-api.ts';
import { Watches } from '../watch/watches.ts';
import { warningsOf } from './warnings.ts';

export interface HttpServer extends There {
  /** `http://host:port` or `https://…`, with the port that was chosen where the configured one is 0. */
  readonly address: string;
  close(): Promise<void>;
}

/** All there are; docs/OPERATIONS.md lists them. */
export const PATHS = [
  '/',
  '/livez',
  '/readyz',
  '/startupz',
  '/metrics',
  '/api/v1/pipelines',
  '/api/v1/partitions',
  '/api/v1/workers',
  '/api/v1/probes',
  '/api/v1/entries',
  '/api/v1/owners',
  '/api/v1/events',
  '/api/v1/stats',
  '/api/v1/watch',
  '/api/v1/dead-letters',
  '/api/v1/openapi.json',
] as const;
const STATS_PATH = '/api/v1/stats/:pipeline';
/** The longest key, in base64url. */
const PARAM_LENGTH_MAX = 90_000;
const RESTART_PATH = '/api/v1/partitions/:pipeline/:partition/restart';
const RESTART_CODES = { restarted: 202, notStopped: 409, absent: 404 } as const;

/**
 * `push`: how outputs are read for those who subscribe to them. @throws Misconfigured where the address cannot be bound, or
 * certificate and key do not go together
 */
export async function openHttpServer(http: HttpConfig, whole: Whole, push: PushesParts): Promise<HttpServer> {
  const { clock, log } = push;
  const access = new HttpAccess(http, { whole, clock, log });
  const server = Fastify({
    ...serverOptions(access.certificate),
    rewriteUrl: ({ url = '', method }) => routedUrl(url, method),
    routerOptions: { maxParamLength: PARAM_LENGTH_MAX },
  });
  if (access.certificate !== undefined) access.serve(server.server as unknown as TlsServer);
  const closeServer = promptClose(server, { clock, hasSockets: false });
  const pushes = new Pushes(push, http.maxConnections);
  const watches = new Watches({
    instance: whole.instance,
    look: () => whole.look(),
    endpoint: () => whole.endpoint(),
    open: (...whom) => access.others.watch(...whom),
    clock,
  });
  const close = async (): Promise<void> => {
    // Subscriptions last until they are ended.
    watches.close();
    await pushes.close();
    access.close();
    await closeServer();
  };
  const { host, port, maxConnections: connectionsMax, maxPerSecond: perSecondMax } = http;
  const hosts = [host, http.advertised?.replace(/:\d+$/, '') ?? host].map((name) => name.toLowerCase());
  addGuard(server, {
    roles: ROUTE_ROLES,
    admitting: access.admitting,
    hosts,
    perSecondMax,
    connectionsMax,
    clock,
    log,
  });
  refuseUnknownParameters(server);
  sayInOurWords(server);
  takeEmptyBodies(server);
  addDashboard(server);
  addHealth(server, whole);
  addApi(server, whole);
  const groups = async (): Promise<readonly string[]> =>
    (await whole.look()).processes.flatMap(({ pipelines }) => pipelines.map(({ group }) => group));
  addLettersApi(server, new Letters(push));
  addWatchApi(server, { watches, groups, clock });
  const there: There = {
    there: (endpoint, group, asking) => access.others.ask(endpoint, group, asking),
    pageThere: (endpoint, group, asking) => access.others.page(endpoint, group, asking),
  };
  addEntries(server, whole, { asked: askedOf(whole, clock, there), pushes, clock });
  try {
    const address = await listening(server, { host, port });
    return { address, ...there, close };
  } catch (error) {
    await close();
    throw unbound({ host, port }, error);
  }
}

const WRONG_HOST: readonly unknown[] = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'];

function unbound({ host, port }: Pick<HttpConfig, 'host' | 'port'>, error: unknown): Misconfigured {
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
  const document = openapiDocument(VERSION, ROUTE_ROLES);
  server.get('/api/v1/openapi.json', () => Promise.resolve(document));
  server.get('/api/v1/pipelines', async () => ({ instance, pipelines: pipelineRows((await whole.look()).processes) }));
  server.get('/api/v1/partitions', async () => ({
    instance,
    partitions: (await whole.look()).processes.flatMap(partitionRows),
  }));
  server.get('/api/v1/probes', async () => ({ instance, probes: (await whole.look()).processes.flatMap(probeRows) }));
  server.get('/api/v1/workers', async () => ({ instance, workers: (await whole.look()).workers }));
  server.get<{ Params: { pipeline: string } }>(STATS_PATH, async (request, reply) => {
    const { pipeline } = request.params;
    const { processes } = await whole.look();
    const isKnown = processes.some(({ pipelines }) => pipelines.some(({ name }) => name === pipeline));
    if (!isKnown) return reply.code(404).send({ error: `no pipeline ${pipeline}` });
    return { instance, pipeline, windows: statsWindows(processes, pipeline) };
  });
  server.post<{ Params: { pipeline: string; partition: string } }>(RESTART_PATH, async (request, reply) => {
    const { pipeline, partition } = request.params;
    const outcome = await whole.restart(pipeline, /^\d{1,9}$/.test(partition) ? Number(partition) : -1);
    return reply.code(RESTART_CODES[outcome]).send({ instance, pipeline, partition, outcome });
  });
  server.setNotFoundHandler((request, reply) =>
    reply.code(404).send({ error: `no ${request.method} ${request.originalUrl.split('?')[0]!}`, paths: PATHS }),
  );
}

interface EntriesParts {
  readonly asked: Asked & PageSource;
  readonly pushes: Pushes;
  readonly clock: Clock;
}

function addEntries(server: FastifyInstance, whole: Whole, { asked, pushes, clock }: EntriesParts): void {
  const processes = async (): Promise<Looked['processes']> => (await whole.look()).processes;
  const pipelines = async (): Promise<readonly string[]> => [
    ...new Set((await processes()).flatMap(({ pipelines: all }) => all.map(({ name }) => name))),
  ];
  const owners = async (pipeline: string): Promise<OwnerRows | undefined> => ownerRows(await processes(), pipeline);
  const api = { ...asked, owners, pipelines };
  addEntriesApi(server, api);
  addListApi(server, api, clock);
  addEventsApi(server, api, { pushes, clock });
  addActsApi(server, { act: (act) => whole.act(act), pipelines });
}
