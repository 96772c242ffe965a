import type { DeliveryStatus } from '@flatline/notifier';
import type { DurationMs, KindName, Millis } from '@flatline/base';
import type { SilentOwner, StandbyStatus, TaskStatus } from '@flatline/runtime';
import type { InstancePartitions, StoreDrop } from '@flatline/ports';
import type { ActOutcome, AskedAct } from '../acts/act.ts';
import type { Asking, HereAnswers } from '../directory/here.ts';
import type { HerePage, PageAsking } from '../directory/here-pages.ts';
import type { Prompt } from '../directory/prompt.ts';

/** Status of one pipeline on this instance. */
export interface PipelineStatus {
  readonly name: string;
  readonly kind: KindName;
  /** The pipeline whose outputs to webhooks it keeps (N3). Default: none. */
  readonly deliveriesOf?: string;
  readonly inputTopic: string;
  readonly inputPartitions: number;
  /** Topics that are read with the input as one (S8). Default: none. */
  readonly furtherInputTopics?: readonly string[];
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
  /** Partitions of other instances that this one looks after, and whose probes it does not see (Q5). */
  readonly silentOwners: readonly SilentOwner[];
  /** Who holds what in the group, as of the last assignment. */
  readonly instances: readonly InstancePartitions[];
}

/** One process at one moment, from which answers are made. Plain data, since a worker sends it to its supervisor. */
export interface ProcessView {
  /** undefined: the process has no supervisor. */
  readonly worker?: number | undefined;
  readonly instance: string;
  /** By this machine's wall clock. */
  readonly wallNow: Millis;
  /** True once every pipeline has had its first assignment running. */
  readonly hasStarted: boolean;
  readonly isStopping: boolean;
  /** Share of the look-ups that may wait here at once. */
  readonly lookUpFill: number;
  readonly pipelines: readonly PipelineStatus[];
  /** Its deliveries to webhooks. Default: none. */
  readonly deliveries?: readonly DeliveryStatus[];
}

/** The processor as the HTTP side sees it: asked with each request, nothing is kept. */
export interface Observed extends Omit<ProcessView, 'pipelines' | 'deliveries'> {
  /** Its deliveries to webhooks. */
  deliveries(): readonly DeliveryStatus[];
  /** This program's. */
  readonly version: string;
  readonly application: string;
  pipelines(): readonly PipelineStatus[];
  /** Has a stopped partition try again. */
  restart(pipeline: string, partition: number): RestartOutcome;
  /** Its own state of these keys (Q1); undefined: it has no such pipeline. */
  lookUp(asking: Asking): Prompt<HereAnswers | undefined>;
  /** Appends an act to the input (Q4); undefined: it has no such pipeline. */
  act(asked: AskedAct): Promise<ActOutcome | undefined>;
  /** Entries of a partition that it has (Q3); undefined: it has no such pipeline. */
  page(asking: PageAsking): Promise<HerePage | undefined>;
  /** Where other instances reach this one, `http://host:port`; empty: they do not. */
  readonly endpoint: string;
}

/** One worker, as its supervisor sees it. */
export interface WorkerRow {
  readonly worker: number;
  readonly instance: string;
  /** `waiting`: to be started again. `ended`: not any more. */
  readonly state: 'running' | 'waiting' | 'ended';
  readonly pid: number | undefined;
  /** Times it was started again. */
  readonly restarts: number;
  /** Its last end, in words. */
  readonly lastEnd: string | undefined;
}

export interface Looked {
  readonly processes: readonly ProcessView[];
  /** Reasons why other workers are not among them. */
  readonly absences: readonly string[];
  /** One line for each worker that runs and does not answer. */
  readonly silences: readonly string[];
  readonly workers: readonly WorkerRow[];
}

/** All that one port answers for: a process, or the workers of a supervisor. */
export interface Whole {
  /** Name of the process that has the port. */
  readonly instance: string;
  look(): Promise<Looked>;
  /** In Prometheus' text format. */
  metrics(): Promise<string>;
  /** Has a stopped partition try again. */
  restart(pipeline: string, partition: number): Promise<RestartOutcome>;
  /** Each process's state of these keys; none: no process has the pipeline. */
  lookUp(asking: Asking): Prompt<readonly HereAnswers[]>;
  /** Appends an act to the input (Q4), by one of its processes; undefined: none has the pipeline. */
  act(asked: AskedAct): Promise<ActOutcome | undefined>;
  /** Each process's state of the partition; none: no process has the pipeline. */
  page(asking: PageAsking): Promise<readonly HerePage[]>;
  /** Where other instances reach this port; empty: they do not. */
  endpoint(): string;
}

/** `absent`: no such pipeline, or the partition is not here. */
export type RestartOutcome = 'restarted' | 'notStopped' | 'absent';
