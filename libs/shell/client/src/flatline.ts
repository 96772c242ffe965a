// The SDK as an application sees it: connecting, and all that a client opens.
import type { OutputReaders } from './output-readers.ts';
import type { CompletedSession, SessionsOutputsOptions } from './open-outputs.ts';
import type { SaslOptions, TlsOptions } from './credentials.ts';
import type {
  Heartbeats,
  HeartbeatsOptions,
  ItemsOptions,
  SchedulesOptions,
  Sessions,
  SessionsOptions,
} from './senders.ts';
import type { Items } from './pushed-items.ts';
import type { Leases, LeasesOptions } from './open-leases.ts';
import type { Schedules } from './sent-schedules.ts';
import type { Summaries, SummariesOptions } from './open-summaries.ts';
import type { TasksOptions } from './tasks-options.ts';

export interface ConnectOptions {
  /** Bootstrap addresses, `host:port` or `[ipv6]:port`. */
  readonly brokers: readonly string[];
  /** How brokers name this client in their logs and quotas. Default `flatline-client`. */
  readonly clientId?: string;
  /** true: TLS with the system's certificate authorities. Default false. */
  readonly ssl?: boolean | TlsOptions;
  /** Default: none. */
  readonly sasl?: SaslOptions;
  /** Confluent's API, `http(s)://[user:password@]host[:port][/path]`. Needed for Avro. Default: none. */
  readonly schemaRegistryUrl?: string;
}

export interface Flatline extends OutputReaders {
  /** Rejects where no broker answers, the topic does not exist, or Avro has no registry. */
  heartbeats(options: HeartbeatsOptions): Promise<Heartbeats>;
  /** Sessions that beat by themselves. A record is sent again for as long as the broker is away. Rejects as `heartbeats`. */
  sessions(options: SessionsOptions): Promise<Sessions>;
  /** Items for windows to collect. A record is sent again for as long as the broker is away. Rejects as `heartbeats`. */
  items(options: ItemsOptions): Promise<Items>;
  /** Messages that come out later. Rejects as `heartbeats`. */
  schedules(options: SchedulesOptions): Promise<Schedules>;
  /**
   * Works off due tasks until `signal` or `close` ends it, with which it resolves: one at a time, and of each partition in their
   * order. Workers of one group share the partitions. A task is done at least once: its place is committed once its outcome is
   * recorded. Rejects where no broker answers, a topic does not exist, or a lease can never be had.
   */
  tasks(options: TasksOptions): Promise<void>;
  /** Rejects where no broker answers, or a topic does not exist. */
  leases(options: LeasesOptions): Promise<Leases>;
  /** Sessions that have closed, or are in one of the `states` asked for: the kind `session`. */
  summaries(options: SessionsOutputsOptions): AsyncIterableIterator<CompletedSession>;
  /** Without a group. Rejects where no broker answers, or the topic does not exist. */
  summaries(options: SummariesOptions): Promise<Summaries>;
  /** Sends what is waiting, and closes everything that was opened here. Idempotent. */
  close(): Promise<void>;
}
