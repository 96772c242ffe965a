// Workers, each with one seed at a time.
//
// Owns: the processes.      Does not own: which seeds, and when to stop (the caller's `next`).
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SeedResult } from './tally.ts';

export interface PoolOptions {
  readonly workers: number;
  /** The next seed, undefined where there is none left. */
  readonly next: () => number | undefined;
  readonly onResult: (result: SeedResult) => void;
  readonly mutant?: string;
}

/**
 * Runs until `next` gives no more and every seed given has its result. A worker that dies is the failure of its seed.
 * @throws Error where one dies without a seed: the product cannot even be loaded.
 */
export async function runPool(options: PoolOptions): Promise<void> {
  await Promise.all(Array.from({ length: options.workers }, () => runWorker(options)));
}

function runWorker({ next, onResult, mutant }: PoolOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = fork(fileURLToPath(new URL('worker.ts', import.meta.url)), mutant === undefined ? [] : [mutant]);
    let seed: number | undefined;
    worker.on('message', (message: SeedResult | 'ready') => {
      if (message !== 'ready') onResult(message);
      seed = hand(worker, next);
    });
    worker.on('exit', (code, signal) => {
      const end = `the worker ended with ${String(code ?? signal)}`;
      if (seed !== undefined) onResult(deathOf(seed, end));
      else if (code !== 0) reject(new Error(end));
      resolve();
    });
  });
}

function hand(worker: ChildProcess, next: () => number | undefined): number | undefined {
  const seed = next();
  if (seed === undefined) worker.disconnect();
  else worker.send(seed);
  return seed;
}

function deathOf(seed: number, violation: string): SeedResult {
  return { seed, violations: [violation], virtualMs: 0, fired: [], lines: [] };
}
