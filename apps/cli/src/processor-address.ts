// Where a running processor answers over HTTP, and asking it.
import { messageOf } from '@flatline/base';
import type { HttpConfig } from '@flatline/config';
import { type HttpAnswer, HttpAsker, jsonOf, readSecretFile, secretIn } from '@flatline/system';
import { resolve } from 'node:path';
import { type ConfigurationFlags, foundConfigurationOf } from './configuration.ts';
import { ExitCode } from './exit-code.ts';
import { CommandFailure, usageFailure } from './failure.ts';
import type { Shell } from './shell.ts';

/** Flags that a processor beyond loopback asks for. */
export interface AccessFlags {
  readonly tokenFile?: string;
  readonly ca?: string;
}

/** The address that the flags name. */
export interface Access {
  readonly token: string | undefined;
  readonly ca: string | undefined;
}

/** @throws CommandFailure where a file cannot be read */
export function accessOf({ tokenFile, ca }: AccessFlags, shell: Shell): Access {
  return {
    token: tokenFile === undefined ? undefined : tokenIn(tokenFile, shell),
    ca: ca === undefined ? undefined : textOf('--ca', ca, shell),
  };
}

export interface AddressFlags extends ConfigurationFlags, AccessFlags {
  readonly url?: string;
}

/** Where no configuration says another. */
const PORT = 7070;
const ANSWER_MAX_MS = 5_000;

export interface Asking {
  readonly body?: object | undefined;
  readonly withinMs?: number;
  /** A field of its answers that are no errors: what gives neither is no processor. */
  readonly field?: string;
}

/** An address, and what is shown there. */
export class ProcessorAddress {
  readonly url: string;
  readonly #asker: HttpAsker;
  readonly #token: string | undefined;

  constructor(url: string, asker: HttpAsker = new HttpAsker(), token?: string) {
    this.url = url;
    this.#asker = asker;
    this.#token = token;
  }

  /** Another instance, where this one says it is. Where that has no TLS, as this one has, the token does not go along. */
  other(url: string): ProcessorAddress {
    const isSafe = url.startsWith('https:') || this.url.startsWith('http:');
    return new ProcessorAddress(url, this.#asker, isSafe ? this.#token : undefined);
  }

  /** @throws CommandFailure where nothing answers, or something else than a processor, or it lets this caller in no farther */
  async ask<T>(
    path: string,
    method: 'GET' | 'POST' = 'GET',
    { body: sent, withinMs = ANSWER_MAX_MS, field }: Asking = {},
  ): Promise<Answer<T>> {
    const headers = {
      ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
      ...(sent !== undefined && { 'content-type': 'application/json' }),
    };
    const { href } = new URL(path, this.url);
    let answer;
    try {
      answer = await this.#asker.ask(href, { method, headers, body: sent && JSON.stringify(sent), withinMs });
    } catch (error) {
      throw new CommandFailure(
        ExitCode.unreachable,
        `no processor answers at ${this.url} (${messageOf(error)}): does \`flatline run\` run there? --http-port or --url names another address, --ca the authority of its certificate`,
      );
    }
    const body = this.#bodyOf(answer);
    const { error } = body as { readonly error?: unknown };
    if (answer.status !== 401 && answer.status !== 403) {
      if (field !== undefined && error === undefined && !(field in body))
        throw this.#isAnother(answer.status, `JSON without "${field}"`);
      return { status: answer.status, body: body as T };
    }
    throw usageFailure(
      `${this.url} answers ${answer.status} (${String(error)}): --token-file names a file with a token of its http.auth`,
    );
  }

  /**
   * Asks for what is no error.
   * @throws CommandFailure as `ask` does, and where it is one
   */
  async read<T extends object>(
    path: string,
    field: keyof T & string,
    method: 'GET' | 'POST' = 'GET',
    how: Omit<Asking, 'field'> = {},
  ): Promise<T> {
    const { status, body } = await this.ask<T | { readonly error: unknown }>(path, method, { ...how, field });
    if (field in body) return body as T;
    const { error } = body as { readonly error: unknown };
    const why = `${this.url} answers ${status} (${String(error)})`;
    if (status === 503) throw new CommandFailure(ExitCode.unreachable, why);
    throw usageFailure(`${why}: --http-port or --url names another address`);
  }

  #bodyOf(answer: HttpAnswer): object {
    let body: unknown;
    try {
      body = jsonOf(answer);
    } catch {
      throw this.#isAnother(answer.status, 'something other than JSON');
    }
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
    throw this.#isAnother(answer.status, 'JSON that is no object');
  }

  #isAnother(status: number, what: string): CommandFailure {
    return usageFailure(`${this.url} is not a Flatline processor: it answered ${status} with ${what}`);
  }
}

/** @throws CommandFailure where it cannot be known */
export async function addressOf(flags: AddressFlags, shell: Shell): Promise<ProcessorAddress> {
  const [address] = await addressesOf({ ...flags, url: flags.url === undefined ? undefined : [flags.url] }, shell);
  return address!;
}

export type AddressesFlags = Omit<AddressFlags, 'url'> & { readonly url?: readonly string[] | undefined };

/** At least one. @throws CommandFailure where none can be known */
export async function addressesOf(flags: AddressesFlags, shell: Shell): Promise<readonly ProcessorAddress[]> {
  const { token, ca: given } = accessOf(flags, shell);
  const askerFor = (ca: string | undefined): HttpAsker => new HttpAsker(ca === undefined ? {} : { ca });
  if (flags.url !== undefined) {
    const asker = askerFor(given);
    return flags.url.map((url) => new ProcessorAddress(url, asker, token));
  }
  const config = await foundConfigurationOf(shell, flags, []);
  if (config === undefined)
    return [new ProcessorAddress(`http://127.0.0.1:${flags.httpPort ?? PORT}`, askerFor(given), token)];
  if (config.http.port === 0)
    throw usageFailure(
      'http.port is 0, any free one: give --http-port or --url, as in the address that `flatline run` prints',
    );
  const caFile = config.http.protection?.caFile;
  const ca = given ?? (caFile === undefined ? undefined : textOf('http.tls.ca', caFile, shell));
  return [new ProcessorAddress(urlOf(config), askerFor(ca), token)];
}

/** The part of a configuration that says where a processor answers. */
export interface ConfiguredAddress {
  readonly http: Pick<HttpConfig, 'host' | 'port' | 'advertised'> & Partial<Pick<HttpConfig, 'protection'>>;
}

/** A certificate is for the name that others use, which it is then asked by. */
export function urlOf({ http: { host, port, advertised, protection } }: ConfiguredAddress): string {
  if (protection?.tls !== 'here') return `http://${hostToAsk(host)}:${port}`;
  return `https://${advertised ?? `${hostToAsk(host)}:${port}`}`;
}

function tokenIn(file: string, shell: Shell): string {
  const token = textOf('--token-file', file, shell);
  if (token !== '') return token;
  throw usageFailure(`--token-file ${file} is empty: write a token into it that \`flatline http token\` has made`);
}

function textOf(what: string, file: string, { folder }: Shell): string {
  try {
    return secretIn(readSecretFile(resolve(folder, file), new Map()));
  } catch (error) {
    throw usageFailure(`${what} ${file} cannot be read (${messageOf(error)})`);
  }
}

/** A processor that listens on all addresses is asked at the loopback address. */
function hostToAsk(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

export interface Answer<T> {
  readonly status: number;
  readonly body: T;
}
