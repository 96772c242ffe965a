// The edge at which errors of brokers, kafkajs and Node become consequences (libs/core/base errors). Total: what is not
// known is Fatal, because trying an unknown error again hides it.
import {
  AssertionError,
  Fatal,
  Fenced,
  MalformedBytes,
  Misconfigured,
  PartitionStopped,
  Retriable,
} from '@flatline/base';
import { STRANGER } from './frame-assembler.ts';
import { type Consequence, kafkaErrorCode, REMEDIES } from './kafka-error-codes.ts';

/** The `cause` of an error made from an answer's error code. */
class KafkaAnswerError extends Error {
  override readonly name = 'KafkaAnswerError';
  readonly code: number;

  constructor(code: number) {
    super(`${kafkaErrorCode(code).name} (${code})`);
    this.code = code;
  }
}

const constructors = {
  fenced: Fenced,
  retriable: Retriable,
  stopped: PartitionStopped,
  misconfigured: Misconfigured,
  fatal: Fatal,
} as const;

/** `doing` names the request and its subject: "write to visits-3", "find the coordinator of group shop". */
export function errorOfCode(code: number, doing: string, detail?: string | null): Error {
  const known = kafkaErrorCode(code);
  const remedy = REMEDIES.get(code);
  const message = [
    `cannot ${doing}: the broker answered ${known.name} (${code})`,
    detail === undefined || detail === null || detail === '' ? '' : `: ${detail}`,
    remedy === undefined ? '' : `; ${remedy}`,
  ].join('');
  const cause = new KafkaAnswerError(code);
  // Where there is a remedy, it is a setting of the topic.
  if (known.consequence === 'stopped')
    return new PartitionStopped(message, cause, { isMendable: remedy !== undefined });
  return new constructors[known.consequence](message, cause);
}

/** The broker's error code that an error of this library was made from. */
export function codeOf(error: unknown): number | undefined {
  return error instanceof Error && error.cause instanceof KafkaAnswerError ? error.cause.code : undefined;
}

const OURS = [AssertionError, Fenced, Retriable, PartitionStopped, Fatal];

/**
 * A certificate that is not trusted, not valid or not for this name, as OpenSSL calls it; a peer that refuses ours, or speaks no
 * TLS at all.
 */
const TLS_CODES =
  /^(ERR_SSL_|ERR_TLS_(?!HANDSHAKE_TIMEOUT)|ERR_OSSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_(CA|PURPOSE)$|PATH_LENGTH_|HOSTNAME_MISMATCH$|EPROTO$)/;

const kafkajsConsequences: ReadonlyMap<string, Consequence> = new Map([
  ['KafkaJSConnectionError', 'retriable'],
  ['KafkaJSConnectionClosedError', 'retriable'],
  ['KafkaJSRequestTimeoutError', 'retriable'],
  ['KafkaJSLockTimeout', 'retriable'],
  ['KafkaJSBrokerNotFound', 'retriable'],
  ['KafkaJSNoBrokerAvailableError', 'retriable'],
]);

const nodeConsequences: ReadonlyMap<string, Consequence> = new Map(
  [
    'ECONNABORTED',
    'ECONNREFUSED',
    'ECONNRESET',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETDOWN',
    'ENETUNREACH',
    'ENOTFOUND',
    'EPIPE',
    'ETIMEDOUT',
    'ERR_STREAM_DESTROYED',
    'ERR_TLS_HANDSHAKE_TIMEOUT',
    'ERR_STREAM_WRITE_AFTER_END',
  ].map((code) => [code, 'retriable'] as const),
);

/** By the `code` with which the frame assembler refuses them. */
const STRANGERS: ReadonlyMap<string, string> = new Map([
  [STRANGER.http, 'is an HTTP server, not a Kafka broker: correct the setting brokers (KAFKA_BROKERS)'],
  [STRANGER.tls, 'expects TLS: set kafka.ssl, or name a listener without TLS (brokers, KAFKA_BROKERS)'],
]);

/** Errors of a TLS handshake whose other end usually speaks no TLS at all. */
const CUT_HANDSHAKE = /before secure TLS connection was established/;

/** Translates whatever was thrown while talking to `broker` (an address). */
export function translated(thrown: unknown, doing: string, broker: string): Error {
  if (!(thrown instanceof Error)) return new Fatal(`cannot ${doing} at ${broker}: ${String(thrown)}`, thrown);
  if (OURS.some((own) => thrown instanceof own)) return thrown;
  const code: unknown = 'code' in thrown ? thrown.code : undefined;
  if (thrown.name === 'KafkaJSProtocolError' && typeof code === 'number') return errorOfCode(code, doing);
  if (thrown instanceof MalformedBytes)
    return new Fatal(
      `cannot ${doing}: the answer of ${broker} is not what the protocol promises: ${thrown.message}`,
      thrown,
    );
  const stranger = typeof code === 'string' ? STRANGERS.get(code) : undefined;
  if (stranger !== undefined) return new Misconfigured(`cannot ${doing}: ${broker} ${stranger}`, thrown);
  const message = `cannot ${doing} at ${broker}: ${thrown.message}`;
  if (typeof code === 'string' && TLS_CODES.test(code))
    return new Misconfigured(
      `${message}; check kafka.ssl, and the certificate of the listener that brokers names`,
      thrown,
    );
  if (thrown.name === 'KafkaJSSASLAuthenticationError')
    return new Misconfigured(`${message}; check kafka.sasl: mechanism and credentials`, thrown);
  if (CUT_HANDSHAKE.test(message))
    return new Retriable(
      `${message}; a listener without TLS does that, too: check kafka.ssl, and the port in brokers`,
      thrown,
    );
  const consequence =
    kafkajsConsequences.get(thrown.name) ?? (typeof code === 'string' ? nodeConsequences.get(code) : undefined);
  return new constructors[consequence ?? 'fatal'](message, thrown);
}
