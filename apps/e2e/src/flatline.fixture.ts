// The `flatline` command as a user runs it: a child process, its lines and its exit code.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ENTRY = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Resolves when a line, of either stream, matches; rejects when the process ends before. */
  line(pattern: RegExp): Promise<string>;
  /** What it printed so far, for a failing test to show. */
  printed(): string;
}

const children = new Set<ChildProcess>();

export function flatline(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const child = spawn(process.execPath, ['--conditions=@flatline/source', ENTRY, ...args], {
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  const out: Record<'stdout' | 'stderr', string[]> = { stdout: [], stderr: [] };
  const waiting = new Set<{ pattern: RegExp; resolve: (line: string) => void; reject: (error: Error) => void }>();
  for (const stream of ['stdout', 'stderr'] as const)
    createInterface({ input: child[stream] }).on('line', (line) => {
      out[stream].push(line);
      for (const each of waiting) if (each.pattern.test(line)) each.resolve(line);
    });
  const printed = (): string => [...out.stdout, ...out.stderr].join('\n');
  const finished = new Promise<Finished>((resolve) => {
    child.once('close', (code) => {
      children.delete(child);
      for (const { pattern, reject } of waiting) reject(new Error(`ended before ${String(pattern)}:\n${printed()}`));
      resolve({ code, stdout: out.stdout.join('\n'), stderr: out.stderr.join('\n') });
    });
  });
  const line = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const said = [...out.stdout, ...out.stderr].find((each) => pattern.test(each));
      if (said === undefined) waiting.add({ pattern, resolve, reject });
      else resolve(said);
    });
  return { child, finished, line, printed };
}

/** Runs a command to its end; an unexpected exit code is an error that shows what was printed. */
export async function succeed(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Finished> {
  const finished = await flatline(args, env).finished;
  if (finished.code !== 0)
    throw new Error(`flatline ${args.join(' ')} ended with ${finished.code}\n${finished.stdout}\n${finished.stderr}`);
  return finished;
}

/** For `afterEach`: a test that failed leaves no process behind. */
export async function killAll(): Promise<void> {
  await Promise.all([...children].map((child) => kill(child)));
}

/** kill −9, and waits for the end. */
export function kill(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve();
      return;
    }
    child.once('close', () => {
      resolve();
    });
    child.kill('SIGKILL');
  });
}
