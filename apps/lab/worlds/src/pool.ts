// Worker processes, each with one world at a time.
//
// Owns: the processes.
// Does not own: the choice of worlds, and when to stop (the caller's `next`).
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SeedResult, WorldWanted } from './tally.ts';

export interface PoolOptions {
  readonly workers: number;
  /** The next world; undefined: none is left. */
  readonly next: () => WorldWanted | undefined;
  readonly onResult: (result: SeedResult) => void;
  readonly mutant?: string;
}

/**
 * Runs until `next` returns no more and every seed has its result. A worker that dies is the failure of its seed.
 * @throws Error if one dies without a seed: the product cannot even be loaded.
 */
export async function runPool(options: PoolOptions): Promise<void> {
  await Promise.all(Array.from({ length: options.workers }, () => runWorker(options)));
}

function runWorker({ next, onResult, mutant }: PoolOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = fork(fileURLToPath(new URL('worker.ts', import.meta.url)), mutant === undefined ? [] : [mutant]);
    let world: WorldWanted | undefined;
    worker.on('message', (message: SeedResult | 'ready') => {
      if (message !== 'ready') onResult(message);
      world = hand(worker, next);
    });
    worker.on('exit', (code, signal) => {
      const end = `the worker ended with ${String(code ?? signal)}`;
      if (world !== undefined) onResult(deathOf(world, end));
      else if (code !== 0) reject(new Error(end));
      resolve();
    });
  });
}

function hand(worker: ChildProcess, next: () => WorldWanted | undefined): WorldWanted | undefined {
  const world = next();
  if (world === undefined) worker.disconnect();
  else worker.send(world);
  return world;
}

function deathOf({ seed, kind }: WorldWanted, violation: string): SeedResult {
  return { seed, kind, violations: [violation], virtualMs: 0, fired: [], lines: [] };
}
