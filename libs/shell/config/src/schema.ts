// The form of a configuration file. Field by field here; what fields must be to each other is in cross-checks.ts.
import {
  CHANGELOG_FORMAT,
  didYouMean,
  type DurationMs,
  KEY_BYTES_MAX,
  TRANSACTION_TIMEOUT_MAX_MS,
  TRANSACTION_TIMEOUT_MS,
  type WrittenDuration,
} from '@flatline/base';
import { TOKEN_EPOCH_MAX, WINDOW_BYTES_MAX, WINDOW_ITEMS_MAX } from '@flatline/kinds';
import { EXTENSION_NAME, EXTENSION_TEXT } from '@flatline/system';
import { z } from 'zod';

/** Legal in topic names, group ids and file names alike, so that derived names need no escaping. */
const NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
/** No dot: `a.b` of `c` and `a` of `b.c` would share their topics and their group. */
const PIPELINE_NAME = /^[A-Za-z0-9_-]+$/;
/** Derived names add to both; Kafka's limit for a topic name is 249. */
const NAME_LENGTH_MAX = 80;
const TOPIC_LENGTH_MAX = 249;

const name = z.string().max(NAME_LENGTH_MAX).regex(NAME, 'letters, digits, ".", "_" and "-", not beginning with "."');
const topic = z
  .string()
  .max(TOPIC_LENGTH_MAX)
  .regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]+$/, 'a topic name: letters, digits, ".", "_" and "-"');
/** The longest length of time that a setting takes: a hundred years of 365 days. */
export const DURATION_MAX_MS: DurationMs = 3_153_600_000_000;
const duration = z.int().min(1).max(DURATION_MAX_MS);
const durationOrNone = z.int().min(0).max(DURATION_MAX_MS);
const format = z.enum(['json', 'avro']);

/** Packing of record batches, in Kafka's terms. */
const compression = z.enum(['none', 'gzip', 'snappy', 'lz4', 'zstd']);

/** In 1973. A smaller number was meant as seconds. */
const INSTANT_MIN = 100_000_000_000;
const INSTANT_HINT = 'too small for milliseconds since the epoch; seconds have to be multiplied by 1000';
/** ISO 8601 with a zone, or milliseconds since the epoch. */
const instant = z.union([
  z.int().min(INSTANT_MIN, INSTANT_HINT),
  z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
]);
const startFrom = z.union([z.enum(['earliest', 'latest']), z.strictObject({ timestamp: instant })], {
  error: '"earliest", "latest" or { "timestamp": milliseconds since the epoch, or ISO 8601 with a zone }',
});

/** Beginning of a message whose value must not be shown. */
export const SECRETS_ARE = 'secrets are referred to';
/** Where to find it: secrets are not written into files that are committed. */
const secret = z.union([z.strictObject({ file: z.string().min(1) }), z.strictObject({ env: z.string().min(1) })], {
  error: `${SECRETS_ARE}: { "file": "…" } or { "env": "…" }`,
});
export type SecretReference = z.infer<typeof secret>;

const KINDS = ['session', 'lease', 'debounce', 'schedule'] as const;

const input = z.strictObject({
  topic,
  format: z.enum(['auto', 'json', 'avro']).default('auto'),
  timestampType: z.enum(['LogAppendTime', 'CreateTime']).default('LogAppendTime'),
  partitioner: z.enum(['murmur2', 'any']).default('murmur2'),
  touches: z.boolean().default(true),
  unknownKey: z.enum(['open', 'hold', 'deadLetter']).default('open'),
});

const pipeline = z.strictObject({
  name: z.string().max(NAME_LENGTH_MAX).regex(PIPELINE_NAME, 'letters, digits, "_" and "-"'),
  kind: z.enum(KINDS, { error: explainKind }),
  input: z.union([input, z.array(input).min(1)]),
  output: z.strictObject({
    topic,
    format: format.default('json'),
    compression: compression.default('gzip'),
    tombstones: z.boolean().default(true),
  }),
  deadLetterTopic: topic.optional(),
  timeoutMs: duration,
  minTimeoutMs: duration.default(1),
  maxTimeoutMs: duration.default(31_536_000_000),
  maxDurationMs: duration.optional(),
  bucketMs: durationOrNone.default(0),
  onConflict: z.enum(['reject', 'replace', 'queue']).default('reject'),
  maxWaiters: z.int().min(1).max(1_024).default(16),
  lockDelayMs: z.int().min(0).max(60_000).default(0),
  tokenEpoch: z.int().min(0).max(TOKEN_EPOCH_MAX).default(0),
  maxHorizonMs: duration.default(315_360_000_000),
  minEveryMs: duration.default(100),
  missed: z.enum(['once', 'all', 'skip']).default('once'),
  maxCatchUp: z.int().min(1).max(100_000).default(1_000),
  catchUpWindowMs: duration.default(31_536_000_000),
  receipts: z.enum(['none', 'errors', 'all']).default('none'),
  maxMessageBytes: z.int().min(1).max(16_777_216).default(65_536),
  maxSchedulesPerKey: z.int().min(1).max(1_024).default(64),
  targets: z.array(topic).max(64).optional(),
  maxDuePerSecond: z.int().min(1).max(1_000_000).optional(),
  mode: z.enum(['trailing', 'window', 'leading']).default('trailing'),
  waitMs: duration.optional(),
  maxWaitMs: durationOrNone.optional(),
  maxItems: z.int().min(1).max(WINDOW_ITEMS_MAX).default(WINDOW_ITEMS_MAX),
  maxBytes: z.int().min(1).max(WINDOW_BYTES_MAX).optional(),
  onOversize: z.enum(['flush', 'split']).default('flush'),
  dedupeBy: z.string().min(1).max(256).optional(),
  reducer: z.enum(['all', 'first', 'last', 'count', 'custom']).default('all'),
  emit: z
    .array(z.enum(['opened', 'updated', 'closed']))
    .min(1)
    .default(['closed']),
  proof: z.enum(['record', 'fetch']).default('record'),
  proofIntervalMs: duration.default(100),
  closeDelayMs: z.int().min(0).max(60_000).default(20),
  clockSkewMs: durationOrNone.default(500),
  revisionWindowMs: durationOrNone.default(0),
  graceMs: durationOrNone.default(0),
  unheardMs: durationOrNone.optional(),
  maxHoldMs: duration.default(600_000),
  standbys: z.int().min(0).max(4).default(0),
  dedupeEventIds: z.int().min(0).max(1_024).default(16),
  maxSources: z.int().min(0).max(64).default(8),
  maxAttributes: z.int().min(0).max(1_024).default(64),
  maxAttributeBytes: z.int().min(0).max(65_536).default(8_192),
  maxKeyBytes: z.int().min(1).max(KEY_BYTES_MAX).default(512),
  maxStateBytes: z.int().min(1_048_576).max(1_099_511_627_776).optional(),
  maxFutureMs: duration.default(3_600_000),
  maxLeadMs: duration.optional(),
  liveWithinMs: duration.default(300_000),
  tickMs: z.int().min(1).max(60_000).default(10),
  handoverMs: duration.default(10_000),
  stoppedRetryMs: durationOrNone.default(60_000),
  drainMs: durationOrNone.default(1_000),
  changelogFactor: z.number().min(2).max(100).default(4),
  changelogFormat: z.int().min(1).max(255).default(CHANGELOG_FORMAT),
  truncateLagMs: duration.default(600_000),
  truncateLagBytes: z.int().min(1_048_576).max(1_099_511_627_776).default(268_435_456),
  startFrom: startFrom.prefault('earliest'),
});

/** Which of them each mechanism needs is checked in sasl-settings.ts. */
const sasl = z.strictObject({
  mechanism: z.enum(['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer']),
  username: z.string().min(1).optional(),
  password: secret.optional(),
  tokenEndpoint: z.url({ protocol: /^https?$/, error: 'a URL: https://…' }).optional(),
  clientId: z.string().min(1).optional(),
  clientSecret: secret.optional(),
  scope: z.string().min(1).optional(),
  /** KIP-342: what is said to the broker beside the token; `auth` is the token itself. */
  extensions: z
    .record(
      z.string().regex(EXTENSION_NAME, 'letters, and not "auth"'),
      z.string().regex(EXTENSION_TEXT, 'text in ASCII'),
    )
    .optional(),
});

/** Certificates by the name of their file (PEM); the private key is a secret. */
const tls = z.strictObject({
  ca: z.string().min(1).optional(),
  cert: z.string().min(1).optional(),
  key: secret.optional(),
  passphrase: secret.optional(),
  servername: z.string().min(1).optional(),
  rejectUnauthorized: z.boolean().optional(),
});

const kafka = z.strictObject({
  ssl: z.union([z.boolean(), tls]).default(false),
  sasl: sasl.optional(),
  sessionTimeoutMs: z.int().min(1_000).max(1_800_000).default(10_000),
  heartbeatIntervalMs: z.int().min(100).max(600_000).default(1_000),
  transactionTimeoutMs: z.int().min(1_000).max(TRANSACTION_TIMEOUT_MAX_MS).default(TRANSACTION_TIMEOUT_MS),
});

const http = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  port: z.int().min(0).max(65_535).default(7_070),
});

/** Heartbeats over HTTP and WebSocket; without the section there are none. */
const ingest = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  port: z.int().min(0).max(65_535).default(7_071),
  tokens: z.array(secret).min(1),
  origins: z
    .array(z.string().regex(/^https?:\/\/[^/\s]+$/, 'an origin: https://shop.example, without a path'))
    .default([]),
  maxEventBytes: z.int().min(1).max(65_536).default(4_096),
  maxPerSecond: z.int().min(1).max(1_000_000).default(50),
  maxSockets: z.int().min(1).max(1_000_000).default(10_000),
  pingIntervalMs: z.int().min(100).max(600_000).optional(),
});

/** host:port, or [ipv6]:port. */
const broker = z
  .string()
  .regex(/^(?:\[[0-9a-fA-F:.]+\]|[^:\s[\]]+):\d{1,5}$/, 'host:port, for example 127.0.0.1:9092')
  .refine(hasPort, 'host:port with a port from 1 to 65535');

function hasPort(address: string): boolean {
  const port = Number(address.slice(address.lastIndexOf(':') + 1));
  return !(port < 1 || port > 65_535);
}

/** Only what this version does is offered. */
function explainKind({ input }: { readonly input?: unknown }): string | undefined {
  if (input === undefined) return undefined;
  const named = KINDS.map((kind) => `"${kind}"`);
  return `there are ${named.slice(0, -1).join(', ')} and ${named.at(-1)!}${typeof input === 'string' ? didYouMean(input, KINDS) : ''}`;
}

export const configurationSchema = z.strictObject({
  application: name,
  brokers: z.array(broker).min(1),
  schemaRegistryUrl: z.url({ protocol: /^https?$/, error: 'a URL: http://host:port or https://…' }).optional(),
  schemaRegistryAuth: z.strictObject({ username: z.string().min(1), password: secret }).optional(),
  schemaRegistrySsl: tls.optional(),
  schemaRegistryRetries: z.int().min(0).max(10).default(3),
  schemaRegistryTimeoutMs: z.int().min(100).max(60_000).default(5_000),
  stateDir: z.string().min(1).default('./state'),
  instance: name.optional(),
  commitIntervalMs: z.int().min(1).max(60_000).default(500),
  http: http.prefault({}),
  ingest: ingest.optional(),
  kafka: kafka.prefault({}),
  pipelines: z.array(pipeline).min(1),
});

/** Configuration as a user writes it: defaults may be left out, and lengths of time be written as "30m". */
export type ConfigurationInput = Written<z.input<typeof configurationSchema>> & { readonly $schema?: string };
type Written<T> = T extends readonly (infer Each)[]
  ? Written<Each>[]
  : T extends object
    ? { [Name in keyof T as Exclude<Name, 'timeoutMs'>]: WrittenAs<Name, T[Name]> } & (T extends { timeoutMs: unknown }
        ? // Not every kind has one; which do is checked when the configuration is read.
          { timeoutMs?: WrittenAs<'timeoutMs', T['timeoutMs']> }
        : unknown)
    : T;
type WrittenAs<Name, T> = Name extends `${string}Ms` ? T | WrittenDuration : Written<T>;

export type Configuration = z.output<typeof configurationSchema>;
export type SaslSection = z.output<typeof sasl>;
export type TlsSection = z.output<typeof tls>;
export type PipelineSection = Configuration['pipelines'][number];
