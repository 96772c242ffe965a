// Worker processes, each with one world at a time.
//
// Owns: the processes.
// Does not own: the choice of worlds, and when to stop (the caller's `next`).
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SeedResult, WorldWanted } from './tally.ts';

/** A world takes seconds, a minute on a busy machine: one that takes so long goes round in a loop, and would keep its worker for ever. */
const WORLD_ENDS_WITHIN_MS = 180_000;

/** Workers of a lane that may die before the rest of its worlds is given up: what kills each is not to be waited for 400 times. */
const DEATHS_MAX = 3;

export interface PoolOptions {
  readonly workers: number;
  /** The next world; undefined: none is left. */
  readonly next: () => WorldWanted | undefined;
  readonly onResult: (result: SeedResult) => void;
  readonly mutant?: string;
  /** Real time after which a world counts as one without end. Default: three minutes. */
  readonly worldEndsWithinMs?: number;
}

/**
 * Runs until `next` returns no more and every seed has its result. A worker that dies, or is ended over a world without end, is the
 * failure of its seed, and another takes its place; after three deaths the rest of the lane is left undone.
 * @throws Error if one dies without a seed: the product cannot even be loaded.
 */
export async function runPool(options: PoolOptions): Promise<void> {
  await Promise.all(Array.from({ length: options.workers }, () => runLane(options)));
}

async function runLane(options: PoolOptions): Promise<void> {
  for (let deaths = 0; deaths < DEATHS_MAX; deaths += 1) if (!(await runWorker(options)).died) return;
}

function runWorker({
  next,
  onResult,
  mutant,
  worldEndsWithinMs = WORLD_ENDS_WITHIN_MS,
}: PoolOptions): Promise<{ readonly died: boolean }> {
  return new Promise((resolve, reject) => {
    const worker = fork(fileURLToPath(new URL('worker.ts', import.meta.url)), mutant === undefined ? [] : [mutant]);
    let world: WorldWanted | undefined;
    let isEndless = false;
    let limit: NodeJS.Timeout | undefined;
    worker.on('message', (message: SeedResult | 'ready') => {
      // Its seed has failed, whatever it has yet to say.
      if (isEndless) return;
      clearTimeout(limit);
      if (message !== 'ready') onResult(message);
      world = hand(worker, next);
      if (world === undefined) return;
      limit = setTimeout(() => (isEndless = worker.kill('SIGKILL')), worldEndsWithinMs);
    });
    worker.on('exit', (code, signal) => {
      clearTimeout(limit);
      const end = isEndless
        ? `the world had not ended after ${worldEndsWithinMs / 1_000} s`
        : `the worker ended with ${String(code ?? signal)}`;
      if (world !== undefined) onResult(deathOf(world, end));
      else if (code !== 0) reject(new Error(end));
      resolve({ died: world !== undefined });
    });
  });
}

function hand(worker: ChildProcess, next: () => WorldWanted | undefined): WorldWanted | undefined {
  const world = next();
  if (world === undefined) worker.disconnect();
  else worker.send(world);
  return world;
}

function deathOf({ seed, kind, world }: WorldWanted, violation: string): SeedResult {
  return { seed, kind, world, violations: [violation], virtualMs: 0, fired: [], lines: [] };
}
