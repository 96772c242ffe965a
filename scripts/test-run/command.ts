import { spawn, type ChildProcess } from 'node:child_process';

/** Bytes kept of the end of a command's output. */
const OUTPUT_BYTES_MAX = 2 ** 20;
/** Time from asking a command to end to killing it. In milliseconds. */
const GRACE_MS = 10_000;

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Ends the command and everything it has started. */
  readonly signal: AbortSignal;
  /** In milliseconds; a command that takes longer is ended. */
  readonly limitMs: number;
}

export interface Ended {
  /** Undefined if it was ended by a signal, or never began. */
  readonly exitCode: number | undefined;
  /** Standard output and error as they came; only the end if there was too much. */
  readonly output: string;
}

/**
 * Runs a command in a process group of its own, so that Ctrl-C reaches it only through `signal`, and its remaining processes
 * end with it. Never rejects.
 */
export async function runCommand({ command, args, cwd, env, signal, limitMs }: Command): Promise<Ended> {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = new Tail();
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output.push(chunk);
    });
  const limit = setTimeout(() => {
    output.push(Buffer.from(`\nnot done after ${limitMs / 1000} s: ended\n`));
    endGroup(child, 'SIGKILL');
  }, limitMs);
  const stop = (): void => {
    endGroup(child, 'SIGTERM');
    setTimeout(endGroup, GRACE_MS, child, 'SIGKILL').unref();
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  const exitCode = await exitOf(child, output);
  clearTimeout(limit);
  signal.removeEventListener('abort', stop);
  endGroup(child, 'SIGKILL');
  return { exitCode, output: output.text() };
}

function exitOf(child: ChildProcess, output: Tail): Promise<number | undefined> {
  return new Promise((resolve) => {
    child.on('error', (error) => {
      output.push(Buffer.from(`${error.message}\n`));
      resolve(undefined);
    });
    child.on('exit', (code) => {
      // Processes that it left keep the pipes open.
      endGroup(child, 'SIGKILL');
      child.on('close', () => {
        resolve(code ?? undefined);
      });
    });
  });
}

function endGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // No process is left.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The end of a stream of bytes. */
class Tail {
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #cut = 0;

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    while (this.#length > OUTPUT_BYTES_MAX) {
      const first = this.#chunks.shift()?.length ?? 0;
      this.#length -= first;
      this.#cut += first;
    }
  }

  text(): string {
    const text = Buffer.concat(this.#chunks).toString('utf8');
    return this.#cut === 0 ? text : `(${this.#cut} bytes before this left out)\n${text}`;
  }
}
