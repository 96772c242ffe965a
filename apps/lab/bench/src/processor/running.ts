import type { DurationMs } from '@flatline/base';
import type { LoopDelay } from '../loop-delay.ts';

/** A contender's process, which runs until it is ended. */
export interface RunningContender {
  readonly pid: number | undefined;
  /** Rejects if it ends by itself. */
  readonly ended: Promise<never>;
  beginCost(): void;
  /** Since `beginCost`; undefined where the system does not tell, or the process does not run on Node. */
  cost(): Promise<{ readonly cpuMs: DurationMs | undefined; readonly loopDelay: LoopDelay | undefined }>;
  /** In good order. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}
