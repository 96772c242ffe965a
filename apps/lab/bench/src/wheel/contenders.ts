import { binaryHeap } from './binary-heap.ts';
import { expiryQueue } from './expiry-queue.ts';
import { type Cost, measureQueue } from './measurement.ts';
import { measureNodeTimers, NODE_TIMERS } from './node-timers.ts';
import { type Contender } from './timer-queue.ts';
import { growingWheel, timingWheel } from './wheel-contender.ts';

/** Those that run in virtual time. The first is what the others are compared with. */
export const contenders: readonly Contender[] = [timingWheel, growingWheel, binaryHeap, expiryQueue];

/** In this process, which should measure no other. */
export async function measureContender(name: string, timers: number, rounds: number): Promise<Cost> {
  if (name === NODE_TIMERS.name) return measureNodeTimers(timers, rounds);
  const contender = contenders.find((candidate) => candidate.name === name);
  if (contender === undefined) throw new Error(`no contender is called "${name}"`);
  return measureQueue(contender, timers, rounds);
}
