// Peers that keep sessions in a third-party store and poll it: a sorted set of Redis, jobs of BullMQ, a table of PostgreSQL.
import type { DurationMs } from '@flatline/base';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PeersAsked } from '../benchmark.ts';
import type { SeenClose } from '../close-watch.ts';
import {
  type ContenderCost,
  type ContenderTask,
  type ProgramCost,
  WARM_UP_TIME_SHARE,
} from '../tasks/contender-task.ts';
import type { DueCost, DueTask } from '../tasks/due-task.ts';
import { LINUX_ONLY } from './go-peer.ts';
import type { LocalServer } from './local-server.ts';
import { findProgram, type RunningProgram, runProgram, startProgram, versionSaid } from './programs.ts';
import { type Found, lookUp } from './peer.ts';
import { nodePackage } from './peer-builds.ts';
import {
  DATABASE_USER,
  findPostgresql,
  findRedis,
  postgresqlIdentity,
  startPostgresql,
  startRedis,
} from './store-servers.ts';

export const STORE_NAMES = ['redis', 'bullmq', 'postgresql'] as const;
type StoreName = (typeof STORE_NAMES)[number];

interface Store {
  readonly does: string;
  /** The part of a processor's work that it leaves out. */
  readonly lacks: string;
  /** How its users see a close. */
  readonly seenBy: string;
  /** Events per call: the size beyond which it gains nothing. */
  readonly chunkMax: number;
  /** Name of its package in package.json. */
  readonly client: string;
  /** Describes what is missing, with the remedy. */
  readonly needs: () => Promise<string | undefined>;
  readonly version: () => Promise<string>;
  readonly startServer: (folder: string) => Promise<LocalServer>;
}

/** Between two looks for due entries: costs them next to nothing. */
const POLL_EVERY_MS: DurationMs = 20;
/** A peer that has not got through the topic by then is measured by what it has done. */
export const STORE_RUN_MAX_MS: DurationMs = 30_000;
const LACKED_BY_ALL =
  "reading events' values, exactly once (closes and offsets are written apart), silence told from a stall of its own";

const redis = {
  needs: () => Promise.resolve(findRedis() === undefined ? 'no redis-server: install redis-server' : undefined),
  version: async () => `Redis ${await versionSaid(findRedis()!, ['--version'], /v=([\d.]+)/)}`,
  startServer: (folder: string) => startRedis(findRedis()!, folder),
};

const STORES: Readonly<Record<StoreName, Store>> = {
  redis: {
    ...redis,
    does: `a sorted set of deadlines: ZADD GT in pipelines, a script that moves what is due to a stream each ${POLL_EVERY_MS} ms`,
    lacks: `${LACKED_BY_ALL}, a summary, the last second before a crash`,
    seenBy: 'a reader of the stream (XREAD)',
    chunkMax: 10_000,
    client: 'ioredis',
  },
  bullmq: {
    ...redis,
    does: 'a delayed job per session in debounce mode, in bulk, one per session and bulk; the worker is the end',
    lacks: `${LACKED_BY_ALL}, a summary, the last second before a crash`,
    seenBy: "a worker's processor",
    chunkMax: 1_000,
    client: 'bullmq',
  },
  postgresql: {
    does:
      `a row per session, indexed by deadline: upserts of whole batches by unnest, ` +
      `rows that are due moved to a table each ${POLL_EVERY_MS} ms (SKIP LOCKED)`,
    lacks: `${LACKED_BY_ALL}, counting each event once after a crash`,
    seenBy: 'a reader of the table, woken by NOTIFY',
    chunkMax: 10_000,
    client: 'pg',
    needs: async () => {
      if (findPostgresql() === undefined) return 'no initdb and postgres: install postgresql';
      return postgresqlIdentity().then(
        () => undefined,
        (error: unknown) => (error as Error).message,
      );
    },
    version: async () =>
      `PostgreSQL ${await versionSaid(join(findPostgresql()!, 'postgres'), ['--version'], /\) ([\d.]+)/)}`,
    startServer: (folder) => startPostgresql(findPostgresql()!, folder),
  },
};

/** Parameters of a store beside the task. */
interface StoreSettings {
  readonly timeoutMs: DurationMs;
  /** Timeout of sessions whose key begins with `probe-`. */
  readonly probeTimeoutMs: DurationMs;
}

/** Items that wait in windows, of which each key has one. */
interface DebounceTask extends DueTask {
  readonly windows: number;
}

export interface StorePeer extends Pick<Store, 'does' | 'lacks' | 'seenBy'> {
  readonly name: StoreName;
  readonly versions: readonly string[];
  /** The cost of the topic, including its server's processes; the server is started and ended around it. */
  process(task: ContenderTask, settings: StoreSettings): Promise<ContenderCost>;
  /** Runs until it is ended; `onClose` is told of each close when its users see it. */
  start(
    task: ContenderTask,
    settings: StoreSettings,
    onClose: (close: SeenClose) => void,
  ): Promise<Pick<RunningProgram, 'end'>>;
  /** The cost of messages that wait in it. */
  delays(task: DueTask): Promise<DueCost>;
  /** The cost of items that wait in windows. */
  debounce(task: DebounceTask): Promise<DueCost>;
}

export function lookUpStore(name: StoreName, options: PeersAsked): Promise<Found<StorePeer>> {
  const { needs, version, client } = STORES[name];
  return lookUp(name, options, {
    lacks: async () => {
      if (process.platform !== 'linux') return LINUX_ONLY;
      return (await needs()) ?? (findProgram('npm') === undefined ? 'no npm on PATH: install it' : undefined);
    },
    project: (workspace) => nodePackage('stores', workspace),
    open: async (folder) =>
      storePeer(name, folder, [await version(), pinned(folder, client), pinned(folder, 'kafkajs')]),
  });
}

function storePeer(name: StoreName, folder: string, versions: readonly string[]): StorePeer {
  const { startServer, chunkMax, does, lacks, seenBy } = STORES[name];
  const command = (
    job: 'throughput' | 'run' | 'watch' | 'delays' | 'debounce',
    task: (ContenderTask & StoreSettings) | DueTask,
    { port, pid: serverPid }: LocalServer,
  ): [command: string, args: readonly string[]] => {
    const own = { peer: name, job, chunkMax, port, user: DATABASE_USER, serverPid, pollEveryMs: POLL_EVERY_MS };
    const times = { warmUpMs: WARM_UP_TIME_SHARE * STORE_RUN_MAX_MS, runMaxMs: STORE_RUN_MAX_MS };
    // kafkajs' timers go negative, of which Node would warn at each start.
    const quiet = '--disable-warning=TimeoutNegativeWarning';
    return [process.execPath, [quiet, join(folder, 'main.js'), JSON.stringify({ ...times, ...own, ...task })]];
  };
  const due = async (job: 'delays' | 'debounce', task: DueTask): Promise<DueCost> => {
    const server = await startServer(task.stateDir);
    try {
      return await runProgram<DueCost>(...command(job, task, server));
    } finally {
      await server.end();
    }
  };
  return {
    name,
    versions,
    does,
    lacks,
    seenBy,
    process: async (task, settings) => {
      const server = await startServer(task.stateDir);
      try {
        const given = { ...task, ...settings };
        return { ...(await runProgram<ProgramCost>(...command('throughput', given, server))), processor: undefined };
      } finally {
        await server.end();
      }
    },
    start: async (task, settings, onClose) => {
      const server = await startServer(task.stateDir);
      const started: RunningProgram[] = [];
      const end = async (): Promise<void> => {
        for (const program of started) await program.end();
        await server.end();
      };
      try {
        const given = { ...task, ...settings };
        const told = (line: string): void => {
          onClose(JSON.parse(line) as SeenClose);
        };
        started.push(await startProgram(...command('run', given, server)));
        started.push(await startProgram(...command('watch', given, server), told));
      } catch (error) {
        await end();
        throw error;
      }
      return { end };
    },
    delays: (task) => due('delays', task),
    debounce: (task) => due('debounce', task),
  };
}

/** `bullmq 6.7.0`. */
function pinned(folder: string, name: string): string {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>;
  };
  return `${name} ${dependencies[name] ?? 'unknown'}`;
}
