// Posts to a sink, and their cost.
import type { DurationMs } from '@flatline/base';

export interface BarePostsTask {
  readonly url: string;
  readonly requests: number;
  /** The first of them, which are not counted. */
  readonly warmUpRequests: number;
  /** Requests under way at a time, each over a connection of its own. */
  readonly atOnce: number;
}

export interface PostsCost {
  readonly posts: number;
  readonly elapsedMs: DurationMs;
  /** CPU time of the process, all threads. */
  readonly cpuMs: DurationMs;
}
