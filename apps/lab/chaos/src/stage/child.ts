// A child process: its lines, its end, and the guarantee that none is left behind.
//
// Owns: every process started through it, until it has ended.
// Does not own: what they do.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Last lines kept of each child, as evidence and for the report of a violation. */
const LINES_MAX = 5_000;

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const living = new Set<Child>();

export class Child {
  readonly lines: string[] = [];
  readonly ended: Promise<Ending>;
  readonly startedAt: number = Date.now();
  #ending: Ending | undefined;
  readonly #process: ChildProcess;
  readonly #waiting = new Set<{ readonly pattern: RegExp; readonly found: (line: string | undefined) => void }>();
  #stopped = false;

  constructor(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#process = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    living.add(this);
    for (const stream of [this.#process.stdout, this.#process.stderr])
      if (stream !== null)
        createInterface({ input: stream }).on('line', (line) => {
          this.#take(line);
        });
    this.ended = new Promise((resolve) => {
      // It could not be started; 'close' follows.
      this.#process.once('error', (error) => {
        this.#take(error.message);
      });
      this.#process.once('close', (code, signal) => {
        living.delete(this);
        this.#ending = { code, signal };
        for (const { found } of this.#waiting) found(undefined);
        resolve(this.#ending);
      });
    });
  }

  /** Undefined if it could not be started. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Undefined while it lives. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** The first line that matches, past or coming; undefined when the process ends, or `withinMs` has passed, without it. */
  line(pattern: RegExp, withinMs = 120_000): Promise<string | undefined> {
    const said = this.lines.find((each) => pattern.test(each));
    if (said !== undefined || this.#ending !== undefined) return Promise.resolve(said);
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        waiter.found(undefined);
      }, withinMs);
      const waiter = {
        pattern,
        found: (line: string | undefined): void => {
          clearTimeout(timer);
          this.#waiting.delete(waiter);
          resolve(line);
        },
      };
      this.#waiting.add(waiter);
    });
  }

  /** Matching lines so far. */
  said(pattern: RegExp): string[] {
    return this.lines.filter((each) => pattern.test(each));
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#ending !== undefined) return;
    this.#stopped = signal === 'SIGSTOP';
    this.#process.kill(signal);
  }

  async kill9(): Promise<Ending> {
    this.signal('SIGKILL');
    return this.ended;
  }

  /** Asks it to end, and makes sure that it does. */
  async terminate(withinMs = 30_000): Promise<Ending> {
    if (this.#stopped) this.signal('SIGCONT');
    this.signal('SIGTERM');
    const timer = setTimeout(() => {
      this.signal('SIGKILL');
    }, withinMs);
    const ending = await this.ended;
    clearTimeout(timer);
    return ending;
  }

  #take(line: string): void {
    this.lines.push(line);
    if (this.lines.length > LINES_MAX) this.lines.splice(0, LINES_MAX / 2);
    for (const { pattern, found } of [...this.#waiting]) if (pattern.test(line)) found(line);
  }
}

/** For the end of a trial, however it ends. */
export async function killAllChildren(): Promise<void> {
  await Promise.all([...living].map((child) => child.kill9()));
}
