import type { ConnectionOptions } from 'node:tls';

/** How to log in at a cluster's brokers, as it is now. */
export interface Credentials {
  /** true: TLS with the system's certificate authorities. */
  readonly ssl: boolean | ConnectionOptions;
  /** undefined: no login. */
  readonly sasl: SaslCredentials | undefined;
}

export type SaslCredentials = PasswordCredentials | OAuthCredentials;

export interface PasswordCredentials {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  readonly password: string;
}

/** A client that gets its tokens by the grant of client credentials (RFC 6749, 4.4). */
export interface OAuthCredentials {
  readonly mechanism: 'oauthbearer';
  /** http or https. */
  readonly tokenEndpoint: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Scope requested of the endpoint; undefined: the client's default there. */
  readonly scope?: string | undefined;
  /** Sent to the broker with the token (KIP-342). */
  readonly extensions?: Readonly<Record<string, string>> | undefined;
}
