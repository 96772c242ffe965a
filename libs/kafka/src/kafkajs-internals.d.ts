// The parts of kafkajs 2.2.4 that are not in its public types, typed as narrowly as they are used here.

declare module 'kafkajs/src/network/requestQueue/index.js' {
  export default class RequestQueue {
    readonly pending: readonly unknown[];
    scheduleCheckPendingRequests(): void;
  }
}

declare module 'kafkajs/src/network/connection.js' {
  import type { Socket } from 'node:net';
  import type { TLSSocket, ConnectionOptions } from 'node:tls';
  import type { SASLOptions } from 'kafkajs';
  import type { Logger } from 'kafkajs/src/loggers/index.js';

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
    readonly sasl: SASLOptions | null;
    readonly connectionTimeout: number;
    readonly requestTimeout: number;
    readonly enforceRequestTimeout: boolean;
    readonly maxInFlightRequests: number | null;
    readonly reauthenticationThreshold: number;
  }

  /** What kafkajs' framing needs of an encoded request; its own Encoder looks like this too. */
  export interface EncodedBody {
    readonly buf: Buffer;
    readonly buffer: Buffer;
  }

  export interface WireRequest {
    readonly apiKey: number;
    readonly apiVersion: number;
    readonly apiName: string;
    encode(): Promise<EncodedBody>;
  }

  export interface WireResponse<Decoded, Answer> {
    decode(payload: Buffer): Promise<Decoded>;
    parse(decoded: Decoded): Promise<Answer>;
  }

  export type ApiVersionRanges = Readonly<Record<number, { readonly minVersion: number; readonly maxVersion: number }>>;

  export default class Connection {
    constructor(input: ConnectionInput);
    readonly socket?: Socket | TLSSocket;
    isConnected(): boolean;
    connect(): Promise<true>;
    authenticate(): Promise<void>;
    setVersions(versions: ApiVersionRanges): void;
    setSupportAuthenticationProtocol(supported: boolean): void;
    send<Decoded extends { readonly clientSideThrottleTime: number }, Answer>(exchange: {
      readonly request: WireRequest;
      readonly response: WireResponse<Decoded, Answer>;
      readonly requestTimeout: number;
      readonly logResponseError: boolean;
    }): Promise<Answer>;
    rejectRequests(error: Error): void;
    disconnect(): Promise<true>;
  }
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
