// Credentials of an application for its brokers: given as they are, or by their place. Files are read for each connection.
import { messageOf, Misconfigured } from '@flatline/base';
import type { Credentials, SaslCredentials } from '@flatline/kafka';
import { type ReadOnce, readSecretFile, secretIn } from '@flatline/system';
import type { ConnectionOptions } from 'node:tls';

/** The secret itself, or the file that holds it, which is read again for each connection. */
export type Secret = string | { readonly file: string };

/** In the terms of node:tls; certificates and key may also be named by their PEM files, which are read again for each connection. */
export interface TlsOptions extends Omit<ConnectionOptions, 'ca' | 'cert' | 'key' | 'passphrase'> {
  /** PEM, or the path of its file. Default: the system's authorities. */
  readonly ca?: ConnectionOptions['ca'];
  /** The client's: PEM, or the path of its file. Default: none. */
  readonly cert?: ConnectionOptions['cert'];
  /** The certificate's. Default: none. */
  readonly key?: ConnectionOptions['key'] | Secret;
  /** The key's. Default: none. */
  readonly passphrase?: Secret;
}

export type SaslOptions =
  | {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
      readonly username: string;
      readonly password: Secret;
    }
  | {
      readonly mechanism: 'oauthbearer';
      /** URL that grants tokens for client credentials (RFC 6749): http or https. */
      readonly tokenEndpoint: string;
      readonly clientId: string;
      readonly clientSecret: Secret;
      /** Scope requested of the endpoint. Default: the endpoint's own. */
      readonly scope?: string;
      /** Sent to the broker with the token (KIP-342). Default: none. */
      readonly extensions?: Readonly<Record<string, string>>;
    };

/** Longest path that a message shows, in characters: longer text may be a secret. */
const PATH_SHOWN_MAX = 255;

export interface Access {
  readonly ssl?: boolean | TlsOptions | undefined;
  readonly sasl?: SaslOptions | undefined;
}

/** Asked for each connection. @throws Misconfigured where a file cannot be read */
export function credentialsFrom({ ssl = false, sasl }: Access): () => Credentials {
  const readOnce: ReadOnce = new Map();
  const readers = new Readers(readOnce);
  return () => ({
    ssl: typeof ssl === 'boolean' ? ssl : tlsOf(ssl, readers),
    sasl: sasl === undefined ? undefined : saslOf(sasl, readers),
  });
}

function tlsOf({ ca, cert, key, passphrase, ...others }: TlsOptions, read: Readers): ConnectionOptions {
  return {
    ...others,
    ...(ca !== undefined && { ca: read.pem('ssl.ca', ca) }),
    ...(cert !== undefined && { cert: read.pem('ssl.cert', cert) }),
    ...(key !== undefined && { key: isReference(key) ? read.secret('ssl.key', key) : read.pem('ssl.key', key) }),
    ...(passphrase !== undefined && { passphrase: read.secret('ssl.passphrase', passphrase) }),
  };
}

function saslOf(sasl: SaslOptions, read: Readers): SaslCredentials {
  return sasl.mechanism === 'oauthbearer'
    ? { ...sasl, clientSecret: read.secret('sasl.clientSecret', sasl.clientSecret) }
    : { ...sasl, password: read.secret('sasl.password', sasl.password) };
}

type Reference = Exclude<Secret, string>;

function isReference(value: unknown): value is Reference {
  return typeof value === 'object' && value !== null && 'file' in value;
}

class Readers {
  readonly #readOnce: ReadOnce;

  constructor(readOnce: ReadOnce) {
    this.#readOnce = readOnce;
  }

  /** Text without a PEM header is a path, unless it is a key in another form, which no message may show. */
  pem<T>(option: string, value: T): T | string {
    if (typeof value !== 'string' || value.includes('-----BEGIN ')) return value;
    if (option !== 'ssl.key' && value.length <= PATH_SHOWN_MAX && !value.includes('\n'))
      return this.#file(option, value);
    try {
      return readSecretFile(value, this.#readOnce);
    } catch {
      const other = 'as { file } a path is named when it cannot be read';
      throw new Misconfigured(`connect: ${option} is neither PEM nor the path of a file that can be read; ${other}`);
    }
  }

  secret(option: string, secret: Secret): string {
    if (typeof secret === 'string') return secret;
    const text = secretIn(this.#file(option, secret.file));
    if (text.trim() !== '') return text;
    throw new Misconfigured(`connect: ${option} is the file ${secret.file}, which is empty: write the secret into it`);
  }

  #file(option: string, path: string): string {
    try {
      return readSecretFile(path, this.#readOnce);
    } catch (error) {
      throw new Misconfigured(
        `connect: ${option} is the file ${path}, which cannot be read (${messageOf(error)})`,
        error,
      );
    }
  }
}
