// Asks processors over HTTP as an application that has a token of theirs, and their authority.
//
// Owns: the connections, the token as it was last read.
// Does not own: who is asked (directory).
import { type DurationMs, Misconfigured } from '@flatline/base';
import { HttpAsker, type HttpTrust, jsonOf, readSecretFile, secretIn } from '@flatline/system';
import type { IncomingMessage } from 'node:http';
import { credentialsFrom, type Secret, type TlsOptions } from './credentials.ts';

export interface DirectoryCredentials {
  /** Token of `http.auth` that the processors ask for, or its file, which is read again when they refuse it. Default: none. */
  readonly token?: Secret;
  /** For processors with `http.tls`, in the terms of node:tls; `ca` may be the path of its file. Default: Node's authorities. */
  readonly ssl?: TlsOptions;
}

export interface Asked {
  readonly method?: 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export class DirectoryAccess {
  readonly #urls: readonly string[];
  readonly #credentials: DirectoryCredentials;
  #asker: HttpAsker | undefined;
  #token: string | undefined;

  /** `urls`: those that the application gives. */
  constructor(urls: readonly string[], credentials: DirectoryCredentials) {
    this.#urls = urls;
    this.#credentials = credentials;
  }

  /** @throws Error that says why there is no answer; Misconfigured where a file cannot be read */
  async ask(
    endpoint: string,
    path: string,
    { headers, ...asked }: Asked,
    withinMs: DurationMs,
  ): Promise<{ readonly status: number; readonly body: unknown }> {
    this.#asker ??= new HttpAsker(this.#trust());
    const question = { ...asked, headers: { ...headers, ...this.#authorization(endpoint) }, withinMs };
    const answer = await this.#asker.ask(`${endpoint}${path}`, question);
    if (answer.status === 401) this.#token = undefined;
    return { status: answer.status, body: jsonOf(answer) };
  }

  /** Returns the answer as a stream. @throws Error that says why there is none; Misconfigured where a file cannot be read */
  async stream(
    endpoint: string,
    path: string,
    { headers, signal }: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
  ): Promise<IncomingMessage> {
    this.#asker ??= new HttpAsker(this.#trust());
    const all = { ...headers, ...this.#authorization(endpoint) };
    const answer = await this.#asker.stream(`${endpoint}${path}`, { headers: all, signal });
    if (answer.statusCode === 401) this.#token = undefined;
    return answer;
  }

  #trust(): HttpTrust {
    const { ssl } = credentialsFrom({ ssl: this.#credentials.ssl ?? true })();
    return typeof ssl === 'boolean' ? {} : ssl;
  }

  #authorization(endpoint: string): Readonly<Record<string, string>> {
    const { token } = this.#credentials;
    if (token === undefined) return {};
    if (!this.#isSafe(endpoint))
      throw new Error(
        'an instance told this address, which has no TLS as those of urls have: the token is not sent there',
      );
    this.#token ??= typeof token === 'string' ? token : tokenIn(token.file);
    return { authorization: `Bearer ${this.#token}` };
  }

  /** A token is sent unencrypted only to addresses that the application itself has given so. */
  #isSafe(endpoint: string): boolean {
    return endpoint.startsWith('https:') || this.#urls.some((url) => url.startsWith('http:'));
  }
}

function tokenIn(file: string): string {
  const token = readToken(file);
  if (token === '')
    throw new Misconfigured(`directory: token is the file ${file}, which is empty: write the token there`);
  return token;
}

function readToken(file: string): string {
  try {
    return secretIn(readSecretFile(file, new Map()));
  } catch (error) {
    throw new Misconfigured(`directory: token is the file ${file}, which cannot be read`, error);
  }
}
