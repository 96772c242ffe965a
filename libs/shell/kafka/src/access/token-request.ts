// One question to a token endpoint, and what can be wrong with its answer.
import { type Clock, type DurationMs, messageOf, Misconfigured, Retriable } from '@flatline/base';
import { withinDeadline } from '@flatline/system';
import type { OAuthCredentials } from './credentials.ts';

const TOKEN_TIMEOUT_MS: DurationMs = 10_000;
/** Tokens with the groups of a user have been seen of 20 kB. */
const TOKEN_ANSWER_BYTES_MAX = 262_144;
const REASON_SHOWN = 200;
/** Life of a token of which the endpoint does not say it: enough for the logins of a start. */
const UNSAID_LIFETIME_MS: DurationMs = 10_000;

export interface TokenAnswer {
  readonly value: string;
  readonly lifetimeMs: DurationMs;
  /** The endpoint says how long it lives (RFC 6749, 5.1 only recommends it). */
  readonly isLifeSaid: boolean;
}

/** @throws Retriable where another try may be answered; Misconfigured where the endpoint refuses this client. */
export async function askForToken(
  client: OAuthCredentials,
  clock: Clock,
  ending = new AbortController(),
): Promise<TokenAnswer> {
  const late = (): Retriable => {
    ending.abort();
    return new Retriable(`${named(client)} did not answer within ${TOKEN_TIMEOUT_MS} ms; see whether it is overloaded`);
  };
  const asking = request(client, ending);
  // Ended by `late` it fails once more, which says nothing new.
  asking.catch(() => undefined);
  const { status, text } = await withinDeadline(clock, TOKEN_TIMEOUT_MS, asking, late);
  if (status !== 200) throw refusal(client, status, text);
  return tokenIn(client, text);
}

interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

async function request(client: OAuthCredentials, ending: AbortController): Promise<HttpAnswer> {
  const { tokenEndpoint, clientId, clientSecret, scope } = client;
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) });
  try {
    const answer = await fetch(tokenEndpoint, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${formText(clientId)}:${formText(clientSecret)}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: body.toString(),
      // Followed, it would tell the secret to whom the endpoint names.
      redirect: 'manual',
      signal: ending.signal,
    });
    return { status: answer.status, text: await bounded(client, answer, ending) };
  } catch (error) {
    if (error instanceof Retriable) throw error;
    if (ending.signal.aborted) throw new Retriable(`${named(client)} was not waited for any longer`);
    const remedy = 'start it, trust its certificate (NODE_EXTRA_CA_CERTS), or correct kafka.sasl.tokenEndpoint';
    throw new Retriable(`${named(client)} cannot be reached (${reasonOf(error)}); ${remedy}`, error);
  }
}

/** RFC 6749, 2.3.1: form encoding comes before the one of Basic. */
function formText(text: string): string {
  return new URLSearchParams({ text }).toString().slice('text='.length);
}

async function bounded(client: OAuthCredentials, answer: Response, ending: AbortController): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  if (answer.body === null) return '';
  for await (const part of answer.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > TOKEN_ANSWER_BYTES_MAX) {
      ending.abort();
      throw new Retriable(`${named(client)} answered with more than ${TOKEN_ANSWER_BYTES_MAX} bytes; ${CHECK_ADDRESS}`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** `fetch` says why below what it throws. */
function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  const said = cause === undefined ? messageOf(error) : messageOf(cause);
  return typeof code === 'string' && !said.includes(code) ? `${code}: ${said}` : said || messageOf(error);
}

function refusal(client: OAuthCredentials, status: number, text: string): Error {
  const { error, error_description: description } = objectIn(text) ?? {};
  const why = [error, description].filter((each) => typeof each === 'string').join(': ');
  const said = `${named(client)} answered ${status}${why === '' ? '' : ` (${why.slice(0, REASON_SHOWN)})`}`;
  if (status >= 500 || status === 429) return new Retriable(`${said}; see its own log`);
  if (status === 400 || status === 401 || status === 403)
    return new Misconfigured(`${said}; check kafka.sasl.clientId, clientSecret and scope`);
  return new Misconfigured(`${said}; ${CHECK_ADDRESS}`);
}

function tokenIn(client: OAuthCredentials, text: string): TokenAnswer {
  const { access_token: value, expires_in: seconds } = objectIn(text) ?? {};
  // RFC 6750, 2.1: anything else could not be sent, or would end what is sent.
  if (typeof value !== 'string' || !/^[\w.~+/-]+=*$/.test(value))
    throw new Retriable(`${named(client)} answered with no access_token; ${CHECK_ADDRESS}`);
  // Some write the number as text.
  const lifetimeMs = Number(seconds) * 1_000;
  const isLifeSaid = lifetimeMs > 0 && Number.isFinite(lifetimeMs);
  return { value, isLifeSaid, lifetimeMs: isLifeSaid ? lifetimeMs : UNSAID_LIFETIME_MS };
}

const CHECK_ADDRESS = 'check that kafka.sasl.tokenEndpoint is the address of the tokens themselves';

function named({ tokenEndpoint }: OAuthCredentials): string {
  // A query may hold what is to be kept, and so may what stands before the host.
  return `the token endpoint ${tokenEndpoint.replace(/[?#].*$/, '').replace(/\/\/[^/@]*@/, '//')}`;
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
