// The outputs that are carried, and the ways they take.
import type { EndpointConfig, NotifiedPipeline } from '@flatline/config';
import type { Gate } from '@flatline/deliveries';
import type { Sender } from '../sending/sender.ts';

export interface NotifierLog {
  info(message: string, facts?: Readonly<Record<string, unknown>>): void;
  warn(message: string, facts?: Readonly<Record<string, unknown>>): void;
  error(message: string, facts?: Readonly<Record<string, unknown>>): void;
}

/** An endpoint's state that all couriers of a process share. */
export interface Way {
  readonly endpoint: EndpointConfig;
  readonly gate: Gate;
  readonly sender: Sender;
}

/** One partition's outputs. */
export interface Carried {
  readonly log: NotifierLog;
  readonly notified: NotifiedPipeline;
  readonly partition: number;
  /** To its endpoints. */
  readonly ways: readonly Way[];
}
