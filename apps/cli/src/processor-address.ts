// Where a running processor answers over HTTP, and asking it.
import { messageOf } from '@flatline/base';
import { type ConfigurationFlags, foundConfigurationOf } from './configuration.ts';
import { ExitCode } from './exit-code.ts';
import { CommandFailure, usageFailure } from './failure.ts';
import type { Shell } from './shell.ts';

export interface AddressFlags extends ConfigurationFlags {
  readonly url?: string;
}

/** Where no configuration says another. */
const PORT = 7070;
const ANSWER_MAX_MS = 5_000;

/** @throws CommandFailure where it cannot be known */
export async function addressOf(flags: AddressFlags, shell: Shell): Promise<string> {
  if (flags.url !== undefined) return flags.url;
  const config = await foundConfigurationOf(shell, flags, []);
  if (config === undefined) return `http://127.0.0.1:${flags.httpPort ?? PORT}`;
  const { host, port } = config.http;
  if (port === 0)
    throw usageFailure(
      'http.port is 0, any free one: give --http-port or --url, as in the address that `flatline run` prints',
    );
  return `http://${hostToAsk(host)}:${port}`;
}

/** A processor that listens on all addresses is asked at the loopback address. */
export function hostToAsk(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

export interface Answer<T> {
  readonly status: number;
  readonly body: T;
}

/** @throws CommandFailure where nothing answers, or something else than a processor */
export async function askProcessor<T>(
  address: string,
  path: string,
  method: 'GET' | 'POST' = 'GET',
): Promise<Answer<T>> {
  let answer: Response;
  try {
    answer = await fetch(new URL(path, address), { method, signal: AbortSignal.timeout(ANSWER_MAX_MS) });
  } catch (error) {
    const why = messageOf((error as Error).cause ?? error);
    throw new CommandFailure(
      ExitCode.unreachable,
      `no processor answers at ${address} (${why}): does \`flatline run\` run there? --http-port or --url names another address`,
    );
  }
  const text = await answer.text();
  try {
    return { status: answer.status, body: JSON.parse(text) as T };
  } catch {
    throw usageFailure(
      `${address} is not a Flatline processor: it answered ${answer.status} with something other than JSON`,
    );
  }
}
