// A resolved configuration: validated, defaults applied, environment taken over. What the rest of the program reads.
import type { DurationMs } from '@flatline/base';
import type { PipelineConfig } from '@flatline/kind-modules';
import type { NotifierConfig } from './notifier/notifier-config.ts';

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
  /** The site or zone that this process is lost with; undefined: it is lost alone. */
  readonly rack?: string | undefined;
  readonly commitIntervalMs: DurationMs;
  /** Q5; 0: none is sent. */
  readonly probeIntervalMs: DurationMs;
  readonly http: HttpConfig;
  /** undefined: there is none. */
  readonly ingest: IngestConfig | undefined;
  /** undefined: metrics are sent nowhere. */
  readonly otlp?: OtlpConfig | undefined;
  /** undefined: there is none. */
  readonly notifier?: NotifierConfig | undefined;
  readonly kafka: KafkaConfig;
  /** Pipelines that keep deliveries of others come last. */
  readonly pipelines: readonly PipelineConfig[];
}

/** Where metrics are sent to, as OTLP in JSON. */
export interface OtlpConfig {
  readonly url: string;
  /** Authorities of an `https://` address (PEM); undefined: Node's. */
  readonly ca: string | undefined;
  readonly intervalMs: DurationMs;
  /** The header `authorization`, as its file says now; undefined: none is sent. @throws Retriable naming what cannot be read */
  readonly authorization: () => string | undefined;
}

export interface HttpConfig {
  readonly host: string;
  readonly port: number;
  /** host:port at which other instances reach it; undefined: the address that it listens on, or this machine's. */
  readonly advertised?: string | undefined;
  /** Open at once. */
  readonly maxConnections: number;
  /** Requests of one caller, and of one connection. */
  readonly maxPerSecond: number;
  /** undefined: none, on loopback alone. */
  readonly protection: HttpProtection | undefined;
}

export interface HttpProtection {
  /** `here`: this process has the certificate; `before`: a proxy or mesh ends TLS before it; undefined: none, on loopback alone. */
  readonly tls: 'here' | 'before' | undefined;
  /** Path of the authorities of this process's certificate and of those of other instances; undefined: Node's. */
  readonly caFile: string | undefined;
  /** undefined: no caller is asked who he is, on loopback alone. */
  readonly auth: { readonly oidc: OidcConfig | undefined } | undefined;
  /** As the files say now. @throws Retriable naming what cannot be read */
  readonly secrets: () => HttpSecrets;
}

/** Nothing prints this object. */
export interface HttpSecrets {
  readonly certificate: HttpCertificate | undefined;
  readonly tokens: readonly HttpToken[];
  /** Token of the instances of a group for each other. */
  readonly group: string | undefined;
}

/** PEM texts. */
export interface HttpCertificate {
  readonly cert: string;
  readonly key: string;
  readonly passphrase?: string;
  readonly ca?: string;
}

export interface HttpToken {
  readonly name: string;
  readonly role: 'read' | 'admin';
  readonly hash: string;
}

export interface OidcConfig {
  readonly issuer: string;
  readonly audience: string;
  /** Name of a claim, or a JSON pointer to it. */
  readonly roleClaim: string;
}

/** Heartbeats over HTTP and WebSocket into the inputs of session pipelines. Secrets are resolved here; nothing prints this object. */
export interface IngestConfig {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** As the files say now; undefined: TLS does not end here. @throws Retriable naming what cannot be read */
  readonly certificate: (() => HttpCertificate) | undefined;
  readonly tokens: readonly string[];
  /** Origins of web pages that may send. */
  readonly origins: readonly string[];
  /** Names of those that take records over HTTP. Default: all whose kind does. */
  readonly pipelines?: readonly string[] | undefined;
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
