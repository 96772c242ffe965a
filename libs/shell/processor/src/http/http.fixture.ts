// A processor as its HTTP server sees it, and that server.
import { afterEach } from '@jest/globals';
import { DurationHistogram } from '@flatline/base';
import type { HttpConfig } from '@flatline/config';
import type { RuntimeLog, StandbyStatus, TaskStatus } from '@flatline/runtime';
import { systemClock } from '@flatline/system';
import { type HttpServer, openHttpServer } from './http-server.ts';
import { metricsOf } from './metrics.ts';
import type { Observed, PipelineStatus, Whole } from './observed.ts';
import { oneProcess } from './one-process.ts';

export const NOW = 1_700_000_100_000;
const closeDelays = new DurationHistogram();
for (const ms of [4, 30, 400_000, -7]) closeDelays.add(ms);
const lateness = new DurationHistogram([0, 60_000]);
for (const ms of [0, 30_000, 90_000]) lateness.add(ms);
export const task = (changes: Partial<TaskStatus>): TaskStatus => ({
  pipeline: 'visits',
  partition: 0,
  state: 'running',
  detail: undefined,
  clock: 1_700_000_000_000,
  liveEntries: 7,
  stateFill: 0.25,
  stateBytes: 12_345,
  commitFill: 0.5,
  probe: undefined,
  heldMs: 0,
  lag: 3,
  expiryLagMs: 0,
  nextDueAt: 1_700_000_001_000,
  position: 40,
  committedPosition: 38,
  inputs: [],
  counters: {
    recordsRead: 40,
    heartbeats: 30,
    events: 10,
    clockRecords: 0,
    sessionsOpened: 9,
    sessionsAbsorbed: 2,
    lateRecords: 1,
    closedByTimeout: 2,
    expired: 2,
    closedByEnd: 0,
    closedByMaxDuration: 0,
    closedByEviction: 0,
    unmatchedEnds: 0,
    duplicates: 0,
    dataEvents: 0,
    earlyKept: 0,
    earlyJoined: 0,
    earlyDropped: 0,
    forgottenSources: 0,
    clampedTimeouts: 0,
    clockOvertaken: 0,
    formerTypeRecords: 0,
    misplacedKeys: 0,
    routed: 0,
    unroutable: 0,
    failedRecords: 0,
    stateFull: 0,
    deadLetters: 1,
  },
  refused: undefined,
  kept: [],
  misplaced: undefined,
  commits: { count: 4, p50Ms: 5, p99Ms: 9, maxMs: 9 },
  commitDurations: undefined,
  closeDelays: closeDelays.status(),
  lateness: lateness.status(),
  changelogBytes: 900,
  liveBytes: 400,
  storesDropped: 0,
  restoreMs: 12,
  takeoverMs: 8,
  ...changes,
});

export const standby: StandbyStatus = {
  pipeline: 'visits',
  partition: 3,
  state: 'following',
  detail: undefined,
  clock: 1_700_000_000_000,
  liveEntries: 5,
  lag: 2,
  position: 90,
  storesDropped: 1,
};

export const instances = [
  { name: 'a', endpoint: '', partitions: [0], standbys: [3] },
  { name: 'b', endpoint: '', partitions: [3], standbys: [0] },
];

export const pipeline = (changes: Partial<PipelineStatus>): PipelineStatus => ({
  name: 'visits',
  kind: 'session',
  inputTopic: 'visit-events',
  inputPartitions: 4,
  outputTopic: 'visits',
  group: 'shop.visits',
  timeoutMs: 1_800_000,
  ready: true,
  interruption: undefined,
  failure: undefined,
  storeDrops: [],
  storeErrors: 0,
  tasks: [task({})],
  standbys: [],
  silentOwners: [],
  instances: [],
  ...changes,
});

const open: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

export function wholeOf(observed: Observed): Whole {
  const metrics = metricsOf(observed);
  return oneProcess(observed, () => metrics.metrics());
}

export const SILENT: RuntimeLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

export function unprotected(changes: Partial<HttpConfig>): HttpConfig {
  const limits = { maxConnections: 1_000, maxPerSecond: 10_000 };
  return { host: '127.0.0.1', port: 0, ...limits, protection: undefined, ...changes };
}

/** There is no pipeline to subscribe to. */
export const NO_PUSH: Parameters<typeof openHttpServer>[2] = {
  config: { application: 'shop', pipelines: [] },
  kafka: { brokers: [], clientId: 'test', clock: systemClock },
  clock: systemClock,
  log: SILENT,
};

/** Until the test has ended. */
export async function serverOf(whole: Whole): Promise<HttpServer> {
  const server = await openHttpServer(unprotected({}), whole, NO_PUSH);
  open.push(server);
  return server;
}

/** Asks the server. */
export type Ask = (path: string, request?: RequestInit) => Promise<Response>;

/** Until the test has ended. */
export async function serveWhole(whole: Whole): Promise<Ask> {
  const server = await serverOf(whole);
  return (path, request) => fetch(`${server.address}${path}`, request);
}

/** A process without pipelines. */
export const BLANK: Observed = {
  instance: 'a',
  version: '1.2.3',
  application: 'shop',
  wallNow: NOW,
  pipelines: () => [],
  hasStarted: true,
  isStopping: false,
  lookUpFill: 0,
  deliveries: () => [],
  restart: () => 'absent',
  lookUp: () => Promise.resolve(undefined),
  act: () => Promise.resolve(undefined),
  page: () => Promise.resolve(undefined),
  endpoint: '',
};

export function serve(pipelines: readonly PipelineStatus[], changes: Partial<Observed> = {}): Promise<Ask> {
  return serveWhole(wholeOf({ ...BLANK, pipelines: () => pipelines, ...changes }));
}
