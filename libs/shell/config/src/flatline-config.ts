// A resolved configuration: validated, defaults applied, environment taken over. What the rest of the program reads.
import type { DurationMs, Millis } from '@flatline/base';
import type { DebounceRules, HeldTimeRules, LeaseRules, ScheduleRules, SessionRules } from '@flatline/kinds';

export interface FlatlineConfig {
  readonly application: string;
  readonly brokers: readonly string[];
  /** Needed where a format is Avro, and to read Avro events where they come. */
  readonly schemaRegistry: SchemaRegistryConfig | undefined;
  readonly stateDir: string;
  /** Human-readable name of this process. */
  readonly instance: string;
  /** The same, where a user has chosen it: it is then the same after a restart, and its id in the groups. */
  readonly instanceId: string | undefined;
  readonly commitIntervalMs: DurationMs;
  readonly http: HttpConfig;
  /** undefined: there is none. */
  readonly ingest: IngestConfig | undefined;
  readonly kafka: KafkaConfig;
  readonly pipelines: readonly PipelineConfig[];
}

export interface HttpConfig {
  readonly host: string;
  readonly port: number;
}

/** Heartbeats over HTTP and WebSocket into the inputs of session pipelines. Secrets are resolved here; nothing prints this object. */
export interface IngestConfig {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly tokens: readonly string[];
  /** Those of web pages that may send. */
  readonly origins: readonly string[];
  readonly maxEventBytes: number;
  /** Requests of one address, messages of one socket. */
  readonly maxPerSecond: number;
  readonly maxSockets: number;
  readonly pingIntervalMs: DurationMs;
}

/** Secrets are resolved here; nothing prints this object. */
export interface SchemaRegistryConfig {
  /** Holds credentials where SCHEMA_REGISTRY_URL does; they go before `auth`. */
  readonly url: string;
  /** The setting or variable that says the URL, for messages. */
  readonly setting: string;
  readonly auth?: { readonly username: string; readonly password: string };
  readonly tls?: TlsConfig;
  readonly retries: number;
  /** How long the registry may take to answer, retries included. */
  readonly timeoutMs: DurationMs;
}

/** Secrets are resolved here; nothing prints this object. */
export interface KafkaConfig extends KafkaCredentials {
  /** The same as the files say now, for the next connection. @throws Retriable naming what cannot be read */
  readonly credentials: () => KafkaCredentials;
  readonly sessionTimeoutMs: DurationMs;
  readonly heartbeatIntervalMs: DurationMs;
  readonly transactionTimeoutMs: DurationMs;
}

export interface KafkaCredentials {
  readonly ssl: boolean | TlsConfig;
  readonly sasl: SaslConfig | undefined;
}

export type SaslConfig =
  | {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
      readonly username: string;
      readonly password: string;
    }
  | {
      readonly mechanism: 'oauthbearer';
      readonly tokenEndpoint: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope?: string | undefined;
      readonly extensions?: Readonly<Record<string, string>> | undefined;
    };

/** In the terms of node:tls; certificates and keys as their PEM text. */
export interface TlsConfig {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly passphrase?: string;
  /** Default: the host name. */
  readonly servername?: string;
  /** Default: true. */
  readonly rejectUnauthorized?: boolean;
}

export type PipelineConfig = SessionPipeline | LeasePipeline | DebouncePipeline | SchedulePipeline;

export interface SessionPipeline extends AnyPipeline {
  readonly kind: 'session';
  readonly rules: SessionRules;
}

export interface LeasePipeline extends AnyPipeline {
  readonly kind: 'lease';
  readonly rules: LeaseRules;
}

export interface DebouncePipeline extends AnyPipeline {
  readonly kind: 'debounce';
  readonly rules: DebounceRules;
}

export interface SchedulePipeline extends AnyPipeline {
  readonly kind: 'schedule';
  readonly rules: ScheduleRules;
  /** Due entries of a partition that take effect per second; undefined: as many as can. */
  readonly maxDuePerSecond: number | undefined;
}

/** Settings of pipelines of every kind. */
interface AnyPipeline {
  readonly name: string;
  readonly input: InputConfig;
  readonly output: OutputConfig;
  readonly deadLetterTopic: string;
  readonly changelogTopic: string;
  readonly group: string;
  readonly heldTime: HeldTimeRules;
  /** No time is held, as `proofIntervalMs` is set and too slow to show an outage (C8). */
  readonly isPacedTooSlowly: boolean;
  /** Most that entries, keys and states of one partition may count (I7); undefined: as much as fits one. */
  readonly maxStateBytes?: number | undefined;
  /** How silence is proved: by a record of the input (C2), or without writing to it (C3). */
  readonly proof: 'record' | 'fetch';
  readonly proofIntervalMs: DurationMs;
  /** How long a close may wait for its commit. */
  readonly closeDelayMs: DurationMs;
  /** C3. */
  readonly clockSkewMs: DurationMs;
  readonly tickMs: DurationMs;
  readonly handoverMs: DurationMs;
  /** 0: never. */
  readonly stoppedRetryMs: DurationMs;
  readonly drainMs: DurationMs;
  readonly changelogFactor: number;
  /** K9 */
  readonly changelogFormat: number;
  readonly truncateLagMs: DurationMs;
  readonly truncateLagBytes: number;
  /** Where a partition that has no state yet begins to read. */
  readonly startFrom: 'earliest' | 'latest' | { readonly timestamp: Millis };
  /** Warm copies of each partition, on other instances. */
  readonly standbys: number;
}

interface OutputConfig {
  readonly topic: string;
  readonly format: 'json' | 'avro';
  readonly compression: 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd';
  /** True if each close, or end of a lease, is followed by its tombstone (O2). */
  readonly tombstones: boolean;
}

interface InputConfig {
  readonly topic: string;
  readonly format: 'auto' | 'json' | 'avro';
  readonly timestampType: 'LogAppendTime' | 'CreateTime';
  /** By what producers choose a key's partition; `any`: by something else, which nothing checks (I9). */
  readonly partitioner: 'murmur2' | 'any';
  readonly maxKeyBytes: number;
  readonly maxFutureMs: DurationMs;
  readonly maxLeadMs: DurationMs;
  readonly liveWithinMs: DurationMs;
}
