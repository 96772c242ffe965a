// Asks processes for the state that facts are made of: a part of what HTTP shows of them.
import type { KindName, Millis } from '@flatline/base';
import type { DeliveryStatus } from '@flatline/notifier';
import type { InstancePartitions } from '@flatline/ports';
import type { StandbyStatus, TaskStatus } from '@flatline/runtime';

export interface ShownPipeline {
  readonly name: string;
  readonly kind: KindName;
  readonly group: string;
  readonly inputTopic: string;
  readonly inputPartitions: number;
  readonly outputTopic: string;
  readonly timeoutMs: number | undefined;
  readonly interruption: string | undefined;
  readonly failure: string | undefined;
  readonly tasks: readonly TaskStatus[];
  readonly standbys: readonly StandbyStatus[];
  readonly instances: readonly InstancePartitions[];
}

export interface ShownProcess {
  readonly instance: string;
  readonly wallNow: Millis;
  readonly pipelines: readonly ShownPipeline[];
  readonly deliveries?: readonly DeliveryStatus[];
}

/** All that one port answers for. */
export interface Shown {
  readonly processes: readonly ShownProcess[];
}
