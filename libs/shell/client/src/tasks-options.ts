// Options of a worker of due tasks, and the topics that follow from them.
import type { Duration } from './check-times.ts';
import type { Leases, LeasesOptions } from './open-leases.ts';
import type { OutputsOptions } from './open-outputs.ts';
import type { TaskRetries } from './task-rules.ts';
import type { Task } from './task.ts';

export interface TasksOptions extends Pick<OutputsOptions, 'group' | 'from' | 'format' | 'signal' | 'onTrouble'> {
  /** The output topic of a schedule pipeline, or one of its targets: its runs are the tasks. Default: none, and there are `batches`. */
  readonly runs?: string;
  /** The output topic of a debounce pipeline: its batches are the tasks. Default: none, and there are `runs`. */
  readonly batches?: string;
  /** Called for one task after another. What it returns is recorded as JSON; what it throws is a failed attempt. */
  readonly handler: (task: Task) => unknown;
  /** The longest that an attempt may take: it has failed then, whatever its handler does. '30s', or milliseconds; default: no limit. */
  readonly timeoutMs?: Duration;
  /**
   * Leases, opened or to be opened, of which each task is worked on under that of `<topic>/<id>`, by one worker at a time. Their
   * pipeline's `onConflict` is `queue` or `reject`. Default: none, and a worker that stands still may not know that another has gone on.
   */
  readonly leases?: Leases | LeasesOptions;
  /** Default: 5 attempts, from 10 seconds to an hour apart, by the worker itself. */
  readonly retries?: TaskRetries;
  /** The topic of outcomes, made where it is not there. Default `<runs>.results`. */
  readonly results?: string;
  /** Name of this worker in outcomes. Default: host and process id. */
  readonly worker?: string;
}

/** One of the two is there. */
export function topicOf({ runs, batches }: TasksOptions): string {
  return (runs ?? batches)!;
}

export function resultsOf(options: TasksOptions): string {
  return options.results ?? `${topicOf(options)}.results`;
}
