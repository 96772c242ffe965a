// Measures the yardstick and sends it to the parent: `fork(this)`. Each part is compiled on a small piece of itself first.
import type { DurationMs } from '@flatline/base';
import type { Yardstick } from './yardstick.ts';
import { access, compute, memoryFor, sort, YARDSTICK_SIZE, type YardstickSize } from './yardstick-work.ts';

const SMALL: YardstickSize = { rounds: 1e6, sorted: 50_000, array: 2 ** 16, accesses: 1e6 };

let result = compute(SMALL) + sort(SMALL) + access(SMALL, memoryFor(SMALL));
const memory = memoryFor(YARDSTICK_SIZE);
const startedAtMs = performance.now();
const computeMs = timed(() => compute(YARDSTICK_SIZE));
const sortMs = timed(() => sort(YARDSTICK_SIZE));
const accessMs = timed(() => access(YARDSTICK_SIZE, memory));
const elapsedMs = performance.now() - startedAtMs;
// Keeps the work from being optimised away.
if (Number.isNaN(result)) throw new Error('the yardstick gave no number');
const yardstick: Yardstick = { computeMs, sortMs, accessMs, elapsedMs };
process.send!(yardstick);
process.disconnect();

function timed(work: () => number): DurationMs {
  const before = process.cpuUsage();
  result += work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
