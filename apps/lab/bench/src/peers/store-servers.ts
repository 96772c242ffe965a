// Redis and PostgreSQL as a peer's users set them up for this: durable, with memory enough, one data directory per turn. Each is
// started on loopback for that turn, and ended by its own process.
import type { DurationMs } from '@flatline/base';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, realpathSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bindToExit } from '../exit-bound.ts';
import { ended, findProgram, runTool } from './programs.ts';

const READY_WITHIN_MS: DurationMs = 60_000;
const LOOK_MS: DurationMs = 50;

interface ServerPlan {
  readonly command: string;
  readonly args: readonly string[];
  readonly port: number;
  /** To run as another user. */
  readonly uid?: number;
  readonly gid?: number;
  /** What ends it cleanly. */
  readonly signal: NodeJS.Signals;
  readonly isReady: () => Promise<boolean>;
}

export interface LocalServer {
  readonly port: number;
  readonly pid: number;
  end(): Promise<void>;
}
/** Debian keeps the server's programs off the PATH. */
const POSTGRESQL_FOLDERS = ['17', '16', '15', '14'].map((version) => `/usr/lib/postgresql/${version}/bin`);
const POSTGRESQL_USER = 'postgres';
export const DATABASE_USER = 'flatline';

export function findRedis(): string | undefined {
  return findProgram('redis-server');
}

/** The folder of its programs. */
export function findPostgresql(): string | undefined {
  const initdb = findProgram('initdb', POSTGRESQL_FOLDERS);
  // What is on the PATH may be a link to one of many, without the others beside it.
  return initdb === undefined ? undefined : dirname(realpathSync(initdb));
}

/** An append-only file, synced every second; nothing is evicted. */
export async function startRedis(command: string, folder: string): Promise<LocalServer> {
  const port = await freePort();
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: folder,
    daemonize: 'no',
    save: '',
    appendonly: 'yes',
    appendfsync: 'everysec',
    'maxmemory-policy': 'noeviction',
    // Rewriting while it is measured would be this peer's misfortune only.
    'auto-aof-rewrite-min-size': '4gb',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return startServer({ command, args, port, signal: 'SIGTERM', isReady: () => accepts(port) });
}

/** Commits are synced; checkpoints and memory are of a size for many writes. It does not run as root. */
export async function startPostgresql(programs: string, folder: string): Promise<LocalServer> {
  const as = await postgresqlIdentity();
  const data = join(folder, 'postgresql');
  mkdirSync(data, { recursive: true });
  if (as.uid !== undefined) chownSync(data, as.uid, as.gid);
  const initdb = ['-D', data, '--auth', 'trust', '--no-sync', '-U', DATABASE_USER, '-E', 'UTF8', '--locale', 'C'];
  await runTool(join(programs, 'initdb'), initdb, { remedy: 'its message says why', cwd: data, ...as });
  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '1GB',
    max_wal_size: '8GB',
    checkpoint_timeout: '15min',
    jit: 'off',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return startServer({
    command: join(programs, 'postgres'),
    args: ['-D', data, '-p', String(port), ...args],
    port,
    signal: 'SIGINT',
    ...as,
    isReady: () => answers(join(programs, 'pg_isready'), port),
  });
}

async function answers(pgIsready: string, port: number): Promise<boolean> {
  return runTool(pgIsready, ['-q', '-h', '127.0.0.1', '-p', String(port)], { remedy: 'not yet' }).then(
    () => true,
    () => false,
  );
}

/** The system's user for it where this runs as root. @throws Fatal where there is none */
export async function postgresqlIdentity(): Promise<{ uid: number; gid: number } | { uid?: never; gid?: never }> {
  if (process.getuid?.() !== 0) return {};
  const remedy = `PostgreSQL does not run as root: run as another user, or add one called ${POSTGRESQL_USER}`;
  const id = async (kind: '-u' | '-g'): Promise<number> =>
    Number(await runTool('id', [kind, POSTGRESQL_USER], { remedy }));
  return { uid: await id('-u'), gid: await id('-g') };
}

/** @throws Error where it ends, or does not answer, instead of becoming ready. */
async function startServer(plan: ServerPlan): Promise<LocalServer> {
  const { command, args, uid, gid, signal } = plan;
  const as = uid === undefined || gid === undefined ? {} : { uid, gid };
  const child = bindToExit(spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...as }));
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream
      .setEncoding('utf8')
      .on('data', (text: string) => said.splice(0, said.length, said.join('').slice(-2_000), text));
  const end = ended(child);
  try {
    await Promise.race([
      ready(plan),
      end.then((how) => Promise.reject(new Error(`${command} ended with ${how}:\n${said.join('')}`))),
    ]);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return { port: plan.port, pid: pidOf(child), end: () => stop(child, signal, end) };
}

/** A port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Whether connections are accepted there. */
async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false; // not yet
  } finally {
    socket.destroy();
  }
}

async function ready({ command, isReady }: ServerPlan): Promise<void> {
  const giveUpAt = performance.now() + READY_WITHIN_MS;
  while (!(await isReady())) {
    if (performance.now() > giveUpAt) throw new Error(`${command} does not answer`);
    await delay(LOOK_MS);
  }
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('a process that runs has no id');
  return pid;
}

async function stop(child: ChildProcess, signal: NodeJS.Signals, end: Promise<unknown>): Promise<void> {
  child.kill(signal);
  await end;
}
