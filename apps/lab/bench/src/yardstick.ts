// A fixed piece of this project's own work, as a measure of the machine: divide times from two occasions by it
// before comparing them. Never change it, or figures published with it lose their meaning.
import type { DurationMs } from '@flatline/base';

const { imul } = Math;

export interface YardstickSize {
  readonly rounds: number;
  readonly sorted: number;
  /** Elements of four bytes; a power of two. */
  readonly array: number;
  readonly accesses: number;
}

/** 128 MiB of array, 32 MB of floats. */
const YARDSTICK_SIZE: YardstickSize = { rounds: 250e6, sorted: 4e6, array: 2 ** 25, accesses: 10e6 };
const SMALL: YardstickSize = { rounds: 1e6, sorted: 50_000, array: 2 ** 16, accesses: 1e6 };
const SEED = 0x9e3779b9;

/** CPU time of one thread each. */
export interface Yardstick {
  /** Mixing of 32-bit integers, within registers. */
  readonly computeMs: DurationMs;
  /** Sorting of 64-bit floats, mostly within the caches. */
  readonly sortMs: DurationMs;
  /** Reads that each wait for the one before, all over an array much larger than the caches. */
  readonly accessMs: DurationMs;
  /** Wall time of all three: any excess over their sum went to other processes. */
  readonly elapsedMs: DurationMs;
}

/** `3.1 s (compute 0.9, sort 0.8, access 1.4; 3.2 s by the wall clock)`. */
export function yardstickText({ computeMs, sortMs, accessMs, elapsedMs }: Yardstick): string {
  const [all, compute, sort, access, elapsed] = [
    computeMs + sortMs + accessMs,
    computeMs,
    sortMs,
    accessMs,
    elapsedMs,
  ].map((ms) => (ms / 1_000).toFixed(2));
  return `${all} s of CPU (compute ${compute}, sort ${sort}, access ${access}), ${elapsed} s by the wall clock`;
}

/** Runs in this process. Each part is compiled on a small piece of itself first. */
export function measureYardstick(): Yardstick {
  let result = compute(SMALL) + sort(SMALL) + access(SMALL, memoryFor(SMALL));
  const timed = (work: () => number): DurationMs => {
    const before = process.cpuUsage();
    result += work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  const memory = memoryFor(YARDSTICK_SIZE);
  const startedAtMs = performance.now();
  const computeMs = timed(() => compute(YARDSTICK_SIZE));
  const sortMs = timed(() => sort(YARDSTICK_SIZE));
  const accessMs = timed(() => access(YARDSTICK_SIZE, memory));
  const elapsedMs = performance.now() - startedAtMs;
  // Keeps the work from being optimised away.
  if (Number.isNaN(result)) throw new Error('the yardstick gave no number');
  return { computeMs, sortMs, accessMs, elapsedMs };
}

/** MurmurHash3's finalizer, over its own results. */
export function compute({ rounds }: YardstickSize): number {
  let h = SEED;
  for (let round = 0; round < rounds; round += 1) h = mixed(h ^ round);
  return h >>> 0;
}

/** Returns the middle element of the sorted array. */
export function sort({ sorted }: YardstickSize): number {
  const values = new Float64Array(sorted);
  for (let index = 0; index < sorted; index += 1) values[index] = mixed(index ^ SEED) >>> 0;
  values.sort();
  return values[sorted >> 1]!;
}

/** The place of each read depends on the result of the one before. @param memory of `memoryFor` */
export function access({ array, accesses }: YardstickSize, memory: Uint32Array): number {
  const mask = array - 1;
  let at = 0;
  for (let read = 0; read < accesses; read += 1) at = mixed(memory[at]! + read) & mask;
  return at;
}

export function memoryFor({ array }: YardstickSize): Uint32Array {
  const memory = new Uint32Array(array);
  for (let index = 0; index < array; index += 1) memory[index] = mixed(index);
  return memory;
}

function mixed(number: number): number {
  let h = number | 0;
  h ^= h >>> 16;
  h = imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}
