import { binaryHeap } from './binary-heap.ts';
import { expiryQueue } from './expiry-queue.ts';
import { type Contender } from './timer-queue.ts';
import { growingWheel, wheel } from './wheel-contender.ts';

/** Those that run in virtual time. The first is what the others are compared with. */
export const contenders: readonly Contender[] = [wheel, growingWheel, binaryHeap, expiryQueue];
