import type { DurationMs, Millis } from '@flatline/base';
import type { PipelineConfig } from '@flatline/config';
import type { StandbyStatus, TaskStatus } from '@flatline/runtime';
import type { InstancePartitions, StoreDrop } from '@flatline/ports';

/** What one pipeline shows of itself on this instance. */
export interface PipelineStatus {
  readonly name: string;
  readonly kind: PipelineConfig['kind'];
  readonly inputTopic: string;
  readonly outputTopic: string;
  readonly group: string;
  /** undefined: of schedules, which have none. */
  readonly timeoutMs: DurationMs | undefined;
  readonly ready: boolean;
  /** Why membership of the group is interrupted; undefined where it is not. */
  readonly interruption: string | undefined;
  /** Why the pipeline has stopped (P1); undefined where it has not. */
  readonly failure: string | undefined;
  /** Local stores of this pipeline that were dropped on this machine, of late (R2). */
  readonly storeDrops: readonly StoreDrop[];
  /** Errors of the devices that hold its local stores, since the start of the process. */
  readonly storeErrors: number;
  readonly tasks: readonly TaskStatus[];
  readonly standbys: readonly StandbyStatus[];
  /** Who holds what in the group, as of the last assignment. */
  readonly instances: readonly InstancePartitions[];
}

/** What the HTTP side asks of the processor, with each request: it keeps nothing. */
export interface Observed {
  readonly instance: string;
  /** This program's. */
  readonly version: string;
  readonly application: string;
  /** By this machine's wall clock. */
  readonly wallNow: Millis;
  pipelines(): readonly PipelineStatus[];
  /** True once every pipeline has had its first assignment running. */
  readonly hasStarted: boolean;
  readonly isStopping: boolean;
  /** Has a stopped partition try again. */
  restart(pipeline: string, partition: number): RestartOutcome;
}

/** `absent`: no such pipeline, or the partition is not here. */
export type RestartOutcome = 'restarted' | 'notStopped' | 'absent';
