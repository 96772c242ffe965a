import type { Clock, DurationMs, ReusedMemory } from '@flatline/base';
import type { KafkaAccess } from '../access/index.ts';

export interface KafkaLogEntry {
  readonly level: 'error' | 'warn' | 'info' | 'debug';
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

export type ConnectionEvent =
  | { readonly kind: 'connected'; readonly broker: string }
  | { readonly kind: 'failed'; readonly broker: string; readonly why: string };

/** How to reach one Kafka cluster. Everything opened with the same options has connections of its own. */
export interface KafkaOptions {
  /** Bootstrap addresses, `host:port` or `[ipv6]:port`. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  /** TLS and SASL. One for all connections of a process: they share its tokens, and what it knows. Default: neither. */
  readonly access?: KafkaAccess;
  readonly clock: Clock;
  /** Receives what would otherwise be printed; errors of connections are also thrown to the caller. */
  readonly log?: (entry: KafkaLogEntry) => void;
  /** Receives what became of each attempt to connect; those that failed are also thrown to the caller. */
  readonly onConnection?: (event: ConnectionEvent) => void;
  readonly connectTimeoutMs?: DurationMs;
  /** Silence after which a request, and the connection it was sent on, is given up. */
  readonly requestTimeoutMs?: DurationMs;
  /** Memory for large answers, where readers give each back when done with it (not with TLS). */
  readonly answerMemory?: ReusedMemory;
}

/** TCP, TLS, ApiVersions and SASL together. */
export const CONNECT_TIMEOUT_MS: DurationMs = 5_000;
/** Above the broker's own 10 s for coordinator work, below the 45 s after which operators think of a hang. */
export const REQUEST_TIMEOUT_MS: DurationMs = 30_000;

export interface BrokerAddress {
  readonly host: string;
  readonly port: number;
}

export function formatAddress({ host, port }: BrokerAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** undefined where `text` is not `host:port`. */
export function parseAddress(text: string): BrokerAddress | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:\s[\]]+)):(\d{1,5})$/.exec(text.trim());
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  return host !== undefined && port > 0 && port < 65_536 ? { host, port } : undefined;
}
