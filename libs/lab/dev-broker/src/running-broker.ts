// The interface of a started broker, wherever it came from.
import { type ServerProperties } from './node-settings.ts';
import type { SecuredListener } from './secured/secured-properties.ts';

/** Java heap of a node, in MB. */
export const HEAP_MB_DEFAULT = 768;

export const silent = (): void => undefined;

export interface BrokerOptions {
  /** Port of the first node, the others follow it. Default: free ones. */
  readonly port?: number | undefined;
  /** Default: as many as the data directory holds, else 1. */
  readonly nodes?: 1 | 3 | undefined;
  /** Default `<repository>/.flatline/broker`. */
  readonly dataDir?: string | undefined;
  /** A data directory of its own under the system's temporary folder, removed at the end. Default false. */
  readonly ephemeral?: boolean | undefined;
  /** Adds a schema registry that speaks the Confluent API and keeps its schemas in memory. Default false. */
  readonly registry?: boolean | undefined;
  /** Default: a free one. */
  readonly registryPort?: number | undefined;
  /** Java heap of each node, in MB. Default `heapMbDefault`. */
  readonly heapMb?: number | undefined;
  /**
   * For minutes of tests: Java compiles with its first compiler alone, which halves the cost of a broker until it is warm, and
   * leaves it slower from then on. Java only. Default false.
   */
  readonly shortLived?: boolean | undefined;
  /**
   * For a broker that ends at once while someone waits: Java writes no archive of its classes, which would make later starts faster
   * and takes seconds. Default false.
   */
  readonly endsAtOnce?: boolean | undefined;
  /**
   * Adds listeners for TLS, mutual TLS and SASL, and an authorizer; certificates and passwords are made in the data directory.
   * Java only. Default: as the data directory was made, else false.
   */
  readonly secure?: boolean | undefined;
  /** Any of Kafka's server.properties; overrides the choices here. */
  readonly properties?: ServerProperties | undefined;
  /** Nodes can be isolated from controllers: all their traffic to these passes through this process. Java only. Default false. */
  readonly isolatable?: boolean | undefined;
  /** Default: a container if an engine answers, else Java. */
  readonly source?: 'container' | 'java' | undefined;
  /** Aborting it gives up a start: what had begun ends, then the start throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Receives a line when something takes long. Default: discarded. */
  readonly log?: ((line: string) => void) | undefined;
}

export interface BrokerNode {
  /** 1, 2, 3: Kafka's node id. */
  readonly id: number;
  readonly port: number;
  /** Undefined while it does not run, and for a container. */
  readonly pid: number | undefined;
  /** Ends it cleanly; resolves when it has ended. */
  stop(): Promise<void>;
  /** Ends it without warning; resolves when it has ended. */
  kill9(): Promise<void>;
  /**
   * Resolves when it answers and the cluster counts it in. After `kill9` that takes until the session from before has
   * expired: 9 s, unless `broker.session.timeout.ms` is shorter.
   */
  start(): Promise<void>;
  /** Freezes it: connections stay open and nothing answers. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /**
   * Cuts it off from the other nodes' controllers, and from nothing else, until `rejoin`: the others think it dead, and it still
   * answers clients. @throws Fatal if the broker was not started `isolatable`.
   */
  isolate(): void;
  rejoin(): void;
}

export interface RunningBroker {
  /** Comma-separated host:port, one per node. */
  readonly bootstrap: string;
  readonly source: 'environment' | 'container' | 'java';
  /** Base URL of the Confluent API. */
  readonly registryUrl: string | undefined;
  /** Listeners that require TLS or a login; empty unless started `secure`. */
  readonly listeners: readonly SecuredListener[];
  /** Empty for brokers of the environment. */
  readonly nodes: readonly BrokerNode[];
  /** Stops only what was started here; a second call waits for the first. */
  stop(): Promise<void>;
}

/** A broker as seen by the process that started it. */
export interface OwnedBroker extends RunningBroker {
  readonly dataDir: string;
  /** Resolves when everything has ended, for whatever reason. */
  ended(): Promise<void>;
}
