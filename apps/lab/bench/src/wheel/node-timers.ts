import { setImmediate as immediate } from 'node:timers/promises';
import { bytesUsed, combine, mean, median, passes, timed, type Cost, type Times } from './measurement.ts';
import { deadlineOf, shuffledIds, START } from './timer-queue.ts';

export const NODE_TIMERS = {
  name: 'setTimeout',
  note: 'delays rounded to whole seconds; re-arming is refresh(), earlier is clear and set; firing is of one list, all due at once',
  timersMax: 1_000_000,
} as const;

const FIRE_DELAY_MS = 1;
const EARLIER_MS = 10_000;
const TIMERS_PER_ROUND = 200_000;

/** The same figures for Node's own timers. They run on the real clock: nothing is awaited but the firing. */
export async function measureNodeTimers(
  timers: number,
  rounds: number,
  timersPerRound: number = TIMERS_PER_ROUND,
): Promise<Cost> {
  const bytesPerTimer = weigh(timers);
  const order = shuffledIds(timers);
  const times: Times[] = [];
  // The first round warms the compiler up and is not counted.
  for (let round = 0; round <= rounds; round += 1) {
    const parts: Times[] = [];
    while (parts.length < passes(timers, timersPerRound)) parts.push(await timePass(order));
    if (round > 0) times.push(combine(parts, mean));
  }
  return { ...combine(times, median), bytesPerTimer };
}

async function timePass(order: Int32Array): Promise<Times> {
  const timers = order.length;
  const armed = new Array<NodeJS.Timeout>(timers);
  const insertNs = timed(timers, () => {
    arm(armed);
  });
  const rearmNs = timed(timers, () => {
    for (const id of order) armed[id]!.refresh();
  });
  const rearmEarlierNs = timed(timers, () => {
    for (const id of order) {
      clearTimeout(armed[id]);
      armed[id] = setTimeout(nothing, delayOf(id) - EARLIER_MS);
    }
  });
  for (const timer of armed) clearTimeout(timer);
  return { insertNs, rearmNs, rearmEarlierNs, fireNs: await fire(timers) };
}

function weigh(timers: number): number {
  const armed = new Array<NodeJS.Timeout>(timers);
  const before = bytesUsed();
  arm(armed);
  const used = bytesUsed() - before;
  for (const timer of armed) clearTimeout(timer);
  return used / timers;
}

function arm(armed: NodeJS.Timeout[]): void {
  for (let id = 0; id < armed.length; id += 1) armed[id] = setTimeout(nothing, delayOf(id));
}

/** So far ahead that none fires while it is measured. */
function delayOf(id: number): number {
  return 3_600_000 + 1000 * Math.ceil((deadlineOf(id) - START) / 1000);
}

async function fire(timers: number): Promise<number> {
  let from = process.cpuUsage();
  let took: NodeJS.CpuUsage | undefined;
  let left = timers;
  const onDue = (): void => {
    if (left === timers) from = process.cpuUsage();
    left -= 1;
    if (left === 0) took = process.cpuUsage(from);
  };
  for (let id = 0; id < timers; id += 1) setTimeout(onDue, FIRE_DELAY_MS);
  while (took === undefined) await immediate();
  return (1000 * (took.user + took.system)) / timers;
}

function nothing(): void {
  // A timer that is never due here needs a callback all the same.
}
