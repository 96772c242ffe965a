// A child process as a test sees it: its lines, its exit code, and the guarantee that none is left behind.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Resolves when a line, of either stream, matches; rejects if the process ends before that. */
  line(pattern: RegExp): Promise<string>;
  /** Its output so far, for a failing test to show. */
  printed(): string;
}

export interface LaunchOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Content of standard input, and whether it ends there; otherwise it stays open. Default: empty, ended. */
  readonly input?: { readonly text: string; readonly ends: boolean };
}

const children = new Set<ChildProcess>();

const nothing = { text: '', ends: true };

export function launch(command: string, args: readonly string[], options: LaunchOptions = {}): Running {
  const { env = {}, input = nothing } = options;
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  // A process that ends without reading its input reports that by its exit code.
  child.stdin.on('error', () => undefined);
  child.stdin.write(input.text);
  if (input.ends) child.stdin.end();
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
