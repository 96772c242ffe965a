// The parts of kafkajs 2.2.4 that are not in its public types, typed as narrowly as they are used here.

declare module 'kafkajs/src/network/requestQueue/index.js' {
  /** A request as kafkajs keeps it until its answer comes. */
  export interface PushedRequest {
    readonly entry: {
      readonly apiKey: number;
      readonly apiVersion: number;
      readonly apiName: string;
      readonly correlationId: number;
      readonly resolve: (answer: { readonly payload: Buffer }) => void;
      readonly reject: (error: Error) => void;
    };
    readonly expectResponse: boolean;
    readonly requestTimeout: number;
    readonly sendRequest: () => void;
  }

  export default class RequestQueue {
    readonly pending: readonly unknown[];
    push(request: PushedRequest): void;
    scheduleCheckPendingRequests(): void;
  }
}

declare module 'kafkajs/src/network/connection.js' {
  import type { Socket } from 'node:net';
  import type { TLSSocket, ConnectionOptions } from 'node:tls';
  import type { Mechanism } from 'kafkajs';
  import type { Logger } from 'kafkajs/src/loggers/index.js';
  import type RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

  export interface SocketFactoryInput {
    readonly host: string;
    readonly port: number;
    readonly ssl: ConnectionOptions | null;
    readonly onConnect: () => void;
  }

  export interface ConnectionInput {
    readonly host: string;
    readonly port: number;
    readonly clientId: string;
    readonly logger: Logger;
    readonly socketFactory: (input: SocketFactoryInput) => Socket | TLSSocket;
    readonly ssl: ConnectionOptions | null;
    readonly sasl: Mechanism | null;
    readonly connectionTimeout: number;
    readonly requestTimeout: number;
    readonly enforceRequestTimeout: boolean;
    readonly maxInFlightRequests: number | null;
    readonly reauthenticationThreshold: number;
  }

  export type ApiVersionRanges = Readonly<Record<number, { readonly minVersion: number; readonly maxVersion: number }>>;

  export default class Connection {
    constructor(input: ConnectionInput);
    readonly socket?: Socket | TLSSocket;
    isConnected(): boolean;
    connect(): Promise<true>;
    authenticate(): Promise<void>;
    /** In milliseconds, as the broker said at the last login; 0: for ever. */
    readonly sessionLifetime: { toNumber(): number };
    /** Time before its end, in whole milliseconds. */
    reauthenticationThreshold: number;
    setVersions(versions: ApiVersionRanges): void;
    setSupportAuthenticationProtocol(supported: boolean): void;
    readonly clientId: string;
    readonly requestQueue: RequestQueue;
    /** Bytes that have arrived and are no whole answer yet. */
    readonly chunks: Buffer[];
    readonly bytesBuffered: number;
    processData(data: Buffer): void;
    nextCorrelationId(): number;
    /** @throws KafkaJSConnectionError */
    failIfNotConnected(): void;
    rejectRequests(error: Error): void;
    disconnect(): Promise<true>;
  }
}

declare module 'kafkajs/src/broker/saslAuthenticator/plain.js' {
  import type { AuthenticationProviderArgs, Authenticator } from 'kafkajs';

  export default function provider(sasl: {
    readonly username: string;
    readonly password: string;
  }): (args: AuthenticationProviderArgs) => Authenticator;
}

declare module 'kafkajs/src/broker/saslAuthenticator/scram256.js' {
  export { default } from 'kafkajs/src/broker/saslAuthenticator/plain.js';
}

declare module 'kafkajs/src/broker/saslAuthenticator/scram512.js' {
  export { default } from 'kafkajs/src/broker/saslAuthenticator/plain.js';
}

declare module 'kafkajs/src/loggers/index.js' {
  export interface LogRecord {
    readonly namespace: string | undefined;
    readonly label: 'ERROR' | 'WARN' | 'INFO' | 'DEBUG';
    readonly log: { readonly message: string; readonly [fact: string]: unknown };
  }

  /** Opaque here: made by `createLogger`, handed to kafkajs. */
  export interface Logger {
    namespace(name: string): Logger;
  }

  export interface Loggers {
    readonly LEVELS: { readonly NOTHING: 0; readonly ERROR: 1; readonly WARN: 2; readonly INFO: 4; readonly DEBUG: 5 };
    createLogger(options: { readonly level: number; readonly logCreator: () => (record: LogRecord) => void }): Logger;
  }

  const loggers: Loggers;
  export default loggers;
}
