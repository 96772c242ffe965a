// One login over a connection, in kafkajs' terms.
import type { AuthenticationProviderArgs, Authenticator } from 'kafkajs';
import plain from 'kafkajs/src/broker/saslAuthenticator/plain.js';
import scram256 from 'kafkajs/src/broker/saslAuthenticator/scram256.js';
import scram512 from 'kafkajs/src/broker/saslAuthenticator/scram512.js';
import { Misconfigured } from '@flatline/base';
import type { PasswordCredentials } from './credentials.ts';

export interface BearerToken {
  readonly mechanism: 'oauthbearer';
  readonly token: string;
  readonly extensions: Readonly<Record<string, string>>;
}

const BY_PASSWORD = { plain, 'scram-sha-256': scram256, 'scram-sha-512': scram512 } as const;

export async function login(
  exchange: AuthenticationProviderArgs,
  credentials: PasswordCredentials | BearerToken,
): Promise<void> {
  if (credentials.mechanism === 'oauthbearer') await bearerLogin(exchange, credentials);
  else await passwordLogin(exchange, credentials);
}

/**
 * kafkajs calls every failure one of authentication (kafkajs 26): a connection that breaks in the middle says nothing about the
 * password.
 */
async function passwordLogin(exchange: AuthenticationProviderArgs, credentials: PasswordCredentials): Promise<void> {
  const { saslAuthenticate } = exchange;
  let cause: unknown;
  const told: AuthenticationProviderArgs['saslAuthenticate'] = async (step) => {
    try {
      return await saslAuthenticate(step);
    } catch (error) {
      cause = error;
      throw error;
    }
  };
  const authenticator: Authenticator = BY_PASSWORD[credentials.mechanism](credentials)({
    ...exchange,
    saslAuthenticate: told,
  });
  try {
    await authenticator.authenticate();
  } catch (error) {
    throw cause === undefined || isAnswer(cause) ? error : cause;
  }
}

/** The broker has answered, and said no. */
export function isAnswer(error: unknown): boolean {
  return error instanceof Error && error.name === 'KafkaJSProtocolError';
}

/** RFC 5801's header, then RFC 7628, 3.1; kafkajs, which reads no answer, would take a refusal for a login (kafkajs 27). */
async function bearerLogin(
  { saslAuthenticate }: AuthenticationProviderArgs,
  { token, extensions }: BearerToken,
): Promise<void> {
  const said = Object.entries(extensions).map(([name, value]) => `${name}=${value}\u0001`);
  const message = Buffer.from(`n,,\u0001auth=Bearer ${token}\u0001${said.join('')}\u0001`);
  const answer = await saslAuthenticate({
    request: { encode: () => sized(message) },
    response: { decode: (bytes) => bytes.subarray(4), parse: (bytes) => bytes.toString('utf8') },
  });
  if (typeof answer !== 'string' || answer === '') return;
  throw new Misconfigured(
    `the broker refuses the token (${answer.slice(0, ANSWER_SHOWN)}): have it trust what kafka.sasl.tokenEndpoint gives, or ask for another kafka.sasl.scope`,
  );
}

const ANSWER_SHOWN = 200;

/** As kafkajs wants the bytes of a login: their length before them. */
function sized(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
