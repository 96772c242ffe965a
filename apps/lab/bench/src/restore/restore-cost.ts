import type { DurationMs } from '@flatline/base';
import type { LoopDelay } from '../loop-delay.ts';

/** Cost of starting again, in a process of its own. */
export interface RestoreCost {
  /** Live entries, or records read back. */
  readonly entries: number;
  /** From the assignment to running, the slowest partition; of Kafka Streams from the first restoration's begin to the last one's end. */
  readonly restoreMs: DurationMs;
  /** From the start, joining the group included. */
  readonly untilRunningMs: DurationMs;
  /** Over the same span, all threads of the process. */
  readonly cpuMs: DurationMs;
  /** Over the same span, of a process on Node. */
  readonly loopDelay?: LoopDelay;
}

/** One turn, seen by the process that started it. */
export interface RestoreTurn extends RestoreCost {
  /** CPU time of the broker's processes from the start until it ran; undefined where they are not ours to see. */
  readonly brokerCpuMs: DurationMs | undefined;
}
