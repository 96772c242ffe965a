// A PostgreSQL of its own: its data in a folder that goes with it, reached by a socket in there, by no port.
import { type ChildProcess, execFileSync, type ExecFileSyncOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const USER = 'flatline';
const READY_WITHIN_MS = 60_000;
const READY_LOOK_MS = 100;
/** Debian's user for it: it does not run as root. */
const SYSTEM_USER = 'postgres';
const PROGRAMS = ['initdb', 'postgres', 'psql'];
/** Characters of the server's log that an error shows. */
const LOG_TAIL_MAX = 4_000;

/** The folder of its programs; undefined: not installed. @param folders where to look, by default where Debian keeps them, and PATH */
export function findPostgresql(folders: readonly string[] = usualFolders()): string | undefined {
  return folders.find((folder) => PROGRAMS.every((program) => existsSync(join(folder, program))));
}

export class Postgresql {
  /** For `psql` and libraries. */
  readonly address: string;
  readonly #programs: string;
  readonly #folder: string;
  readonly #server: ChildProcess;
  #log = '';

  private constructor(programs: string, folder: string, server: ChildProcess) {
    this.#programs = programs;
    this.#folder = folder;
    this.#server = server;
    this.address = `postgresql:///postgres?host=${folder}&user=${USER}`;
    server.stderr!.on('data', (bytes: Buffer) => (this.#log = (this.#log + bytes.toString()).slice(-LOG_TAIL_MAX)));
  }

  /** @param programs as found @throws Error with the server's log, where it does not begin within a minute */
  static async start(programs: string): Promise<Postgresql> {
    const folder = mkdtempSync(join(tmpdir(), 'flatline-postgresql-'));
    const data = join(folder, 'data');
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(folder, idOf('-u'), idOf('-g'));
    // Becomes the program, so that signals reach it.
    const as = ['--reuid', SYSTEM_USER, '--regid', SYSTEM_USER, '--clear-groups'];
    const command = (name: string, ...args: readonly string[]): [string, readonly string[]] =>
      isRoot ? ['setpriv', [...as, join(programs, name), ...args]] : [join(programs, name), args];
    const quiet: ExecFileSyncOptions = { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] };
    execFileSync(
      ...command('initdb', '-D', data, '-A', 'trust', '-N', '-U', USER, '--locale', 'C', '-E', 'UTF8'),
      quiet,
    );
    const server = spawn(...command('postgres', '-D', data, '-k', folder, '-c', 'listen_addresses=', '-F'), {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const database = new Postgresql(programs, folder, server);
    try {
      await database.#ready();
    } catch (error) {
      await database.stop();
      throw error;
    }
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
    if (this.#server.exitCode === null && this.#server.signalCode === null) {
      const ended = once(this.#server, 'exit');
      this.#server.kill('SIGINT');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #ready(): Promise<void> {
    const giveUpAt = performance.now() + READY_WITHIN_MS;
    for (;;) {
      try {
        this.query('SELECT 1');
        return;
      } catch (error) {
        if (performance.now() > giveUpAt || this.#server.exitCode !== null)
          throw new Error(`PostgreSQL does not begin: ${this.#log}`, { cause: error });
        await new Promise((resolve) => setTimeout(resolve, READY_LOOK_MS));
      }
    }
  }
}

function idOf(kind: '-u' | '-g'): number {
  return Number(execFileSync('id', [kind, SYSTEM_USER]));
}

function usualFolders(): readonly string[] {
  return [...globSync('/usr/lib/postgresql/*/bin'), ...(process.env['PATH'] ?? '').split(delimiter)];
}
