// Redis and PostgreSQL set up as a peer's users would: durable, with ample memory, one data directory per turn.
import { chownSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { accepts, freePort, type LocalServer, startServer } from './local-server.ts';
import { findProgram, runTool } from './programs.ts';

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
  // A program on the PATH may be a link to one of many, without the others beside it.
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
    // Rewriting during a measurement would hurt this peer alone.
    'auto-aof-rewrite-min-size': '4gb',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return startServer({ command, args, port, signal: 'SIGTERM', isReady: () => accepts(port) });
}

/** Commits are synced; checkpoints and memory are sized for many writes. It does not run as root. */
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

/** The system's user for it if this process runs as root. @throws Fatal if there is none */
export async function postgresqlIdentity(): Promise<{ uid: number; gid: number } | { uid?: never; gid?: never }> {
  if (process.getuid?.() !== 0) return {};
  const remedy = `PostgreSQL does not run as root: run as another user, or add one called ${POSTGRESQL_USER}`;
  const id = async (kind: '-u' | '-g'): Promise<number> =>
    Number(await runTool('id', [kind, POSTGRESQL_USER], { remedy }));
  return { uid: await id('-u'), gid: await id('-g') };
}
