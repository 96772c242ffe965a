// PostgreSQL for a test: with its own data directory, reached by a socket in it, ended with the test.
import { execFileSync, type ExecFileSyncOptions } from 'node:child_process';
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch, type Running } from './child.fixture.ts';
import { sleep } from './scenario.fixture.ts';

const USER = 'flatline';
const READY_WITHIN_MS = 60_000;
/** Debian's user for it: it does not run as root. */
const SYSTEM_USER = 'postgres';

/** The folder of its programs, which Debian keeps off the PATH; undefined: not installed. */
export function findPostgresql(): string | undefined {
  return globSync('/usr/lib/postgresql/*/bin').find((folder) => existsSync(join(folder, 'initdb')));
}

export class Database {
  readonly address: string;
  readonly #programs: string;
  readonly #folder: string;
  readonly #server: Running;

  private constructor(programs: string, folder: string, server: Running) {
    this.#programs = programs;
    this.#folder = folder;
    this.#server = server;
    this.address = `postgresql:///postgres?host=${folder}&user=${USER}`;
  }

  static async start(programs: string): Promise<Database> {
    const folder = mkdtempSync(join(tmpdir(), 'flatline-postgresql-'));
    const data = join(folder, 'data');
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(folder, idOf('-u'), idOf('-g'));
    // Becomes the program, so that signals reach it.
    const as = ['--reuid', SYSTEM_USER, '--regid', SYSTEM_USER, '--clear-groups'];
    const command = (name: string, ...args: readonly string[]): [string, readonly string[]] =>
      isRoot ? ['setpriv', [...as, join(programs, name), ...args]] : [join(programs, name), args];
    const quiet: ExecFileSyncOptions = { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] };
    execFileSync(...command('initdb', '-D', data, '-A', 'trust', '-N', '-U', USER, '--locale', 'C'), quiet);
    const server = launch(...command('postgres', '-D', data, '-k', folder, '-c', 'listen_addresses=', '-F'));
    const database = new Database(programs, folder, server);
    await database.#ready();
    return database;
  }

  /** The rows, their columns separated by `|`. */
  query(sql: string): readonly string[] {
    const args = ['-d', this.address, '-v', 'ON_ERROR_STOP=1', '-Atqc', sql];
    const rows = execFileSync(join(this.#programs, 'psql'), args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return rows.split('\n').slice(0, -1);
  }

  async stop(): Promise<void> {
    this.#server.child.kill('SIGINT');
    await this.#server.finished;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #ready(): Promise<void> {
    const giveUpAt = performance.now() + READY_WITHIN_MS;
    for (;;) {
      try {
        this.query('SELECT 1');
        return;
      } catch (error) {
        if (performance.now() > giveUpAt) throw new Error(this.#server.printed(), { cause: error });
        await sleep(100);
      }
    }
  }
}

function idOf(kind: '-u' | '-g'): number {
  return Number(execFileSync('id', [kind, SYSTEM_USER]));
}
