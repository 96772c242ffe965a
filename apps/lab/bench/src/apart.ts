// Runs work in separate processes: measured work, and load.
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import type { Works } from './apart-process.ts';
import { forked, type Forked } from './forked.ts';
import type { Yardstick } from './yardstick.ts';

/** Names a folder: each measured process writes a CPU profile there, `<contender>-<number>.cpuprofile`. */
export const PROFILE_VARIABLE = 'FLATLINE_BENCH_PROFILE';
let profiles = 0;

interface Measured<Work extends keyof Works> {
  readonly work: Work;
  readonly args: Parameters<Works[Work]>;
  /** Names its profile, and appears in its errors. */
  readonly what: string;
  /** Added to those of this process. */
  readonly nodeOptions?: readonly string[];
}

/** Does a work in a separate process and returns its result. @throws Error if the process ends before that */
export async function measureApart<Work extends keyof Works>({
  work,
  args,
  what,
  nodeOptions = [],
}: Measured<Work>): Promise<Awaited<ReturnType<Works[Work]>>> {
  const { answer } = start(work, args, what, ['--expose-gc', ...nodeOptions, ...profiling(what)]);
  return answer as Promise<Awaited<ReturnType<Works[Work]>>>;
}

/** Takes a few seconds. @throws Error if its process fails */
export function yardstick(): Promise<Yardstick> {
  return measureApart({ work: 'yardstick', args: [], what: 'yardstick' });
}

export interface LoadProcess {
  /** Tells it to stop, and returns the events per second that were sent. */
  stop(): Promise<number>;
  kill(): void;
}

/** Starts a work that goes on until it is told to stop. */
export function startLoad<Work extends 'beats' | 'occupy'>(work: Work, ...args: Parameters<Works[Work]>): LoadProcess {
  const { child, tell, answer } = start(work, args, work, []);
  answer.catch(() => undefined);
  return {
    stop: () => {
      tell('stop');
      return answer as Promise<number>;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

function start(
  work: keyof Works,
  args: readonly unknown[],
  what: string,
  nodeOptions: readonly string[],
): Forked & { readonly answer: Promise<unknown> } {
  const script = sibling(import.meta.filename, 'apart-process');
  const execArgv = [...process.execArgv, ...nodeOptions];
  const running = forked(script, [work, JSON.stringify(args)], execArgv, `the process for ${what}`);
  const { child, exit, ended } = running;
  const answered = async (): Promise<unknown> => {
    const [answer] = (await Promise.race([once(child, 'message'), ended])) as [unknown];
    child.disconnect();
    // The cost of ending must not fall on others.
    await exit;
    return answer;
  };
  return { ...running, answer: answered() };
}

/** A script beside `file`, with the same extension: works for sources, which run unbuilt, and for the build. */
export function sibling(file: string, name: string): string {
  return join(dirname(file), `${name}${extname(file)}`);
}

/** Options of Node for a process that is measured as `what`. */
export function profiling(what: string): readonly string[] {
  const folder = process.env[PROFILE_VARIABLE];
  if (folder === undefined || folder === '') return [];
  mkdirSync(folder, { recursive: true });
  profiles += 1;
  return ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${what}-${profiles}.cpuprofile`];
}
