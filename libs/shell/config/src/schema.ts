// The form of a configuration file. Field by field here; what fields must be to each other is in cross-checks.ts.
import {
  didYouMean,
  KIND_NAMES,
  TRANSACTION_TIMEOUT_MAX_MS,
  TRANSACTION_TIMEOUT_MS,
  type WrittenDuration,
} from '@flatline/base';
import { pipelineForm, type Reducer } from '@flatline/kind-modules';
import { NAME_LENGTH_MAX, secret } from '@flatline/kind-modules/form';
import { EXTENSION_NAME, EXTENSION_TEXT } from '@flatline/system';
import { z } from 'zod';
import { hostAndPort, http, tlsOfSenders } from './http-settings.ts';
import { notifierForm } from './notifier/notifier-form.ts';

/** Legal in topic names, group ids and file names alike, so that derived names need no escaping. */
const NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const name = z.string().max(NAME_LENGTH_MAX).regex(NAME, 'letters, digits, ".", "_" and "-", not beginning with "."');

const pipeline = pipelineForm(explainKind);

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

/** Heartbeats over HTTP and WebSocket; without the section there are none. */
const ingest = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  port: z.int().min(0).max(65_535).default(7_071),
  tls: tlsOfSenders,
  tokens: z.array(secret).min(1),
  origins: z
    .array(z.string().regex(/^https?:\/\/[^/\s]+$/, 'an origin: https://shop.example, without a path'))
    .default([]),
  pipelines: z.array(z.string().min(1)).min(1).optional(),
  maxEventBytes: z.int().min(1).max(65_536).default(4_096),
  maxPerSecond: z.int().min(1).max(1_000_000).default(50),
  maxSockets: z.int().min(1).max(1_000_000).default(10_000),
  pingIntervalMs: z.int().min(100).max(600_000).optional(),
});

/** Metrics over OTLP; without the section they go nowhere by themselves. */
const otlp = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: 'a URL: http://127.0.0.1:4318/v1/metrics' }),
  authorization: secret.optional(),
  ca: z.string().min(1).optional(),
  intervalMs: z.int().min(1_000).max(3_600_000).default(60_000),
});

/** Beginning of a message about a setting that is not there. */
export const MISSING = 'is missing';

/** Only what this version does is offered. */
function explainKind({ input }: { readonly input?: unknown }): string | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  const { kind } = input as { readonly kind?: unknown };
  const named = KIND_NAMES.map((each) => `"${each}"`);
  if (kind === undefined) return `${MISSING}; expected one of ${named.join('|')}`;
  return `there are ${named.slice(0, -1).join(', ')} and ${named.at(-1)!}${typeof kind === 'string' ? didYouMean(kind, KIND_NAMES) : ''}`;
}

export const configurationSchema = z.strictObject({
  application: name,
  brokers: z.array(hostAndPort).min(1),
  schemaRegistryUrl: z.url({ protocol: /^https?$/, error: 'a URL: http://host:port or https://…' }).optional(),
  schemaRegistryAuth: z.strictObject({ username: z.string().min(1), password: secret }).optional(),
  schemaRegistrySsl: tls.optional(),
  schemaRegistryRetries: z.int().min(0).max(10).default(3),
  schemaRegistryTimeoutMs: z.int().min(100).max(60_000).default(5_000),
  stateDir: z.string().min(1).default('./state'),
  instance: name.optional(),
  rack: name.optional(),
  commitIntervalMs: z.int().min(1).max(60_000).default(500),
  probeIntervalMs: z.int().min(0).max(600_000).default(0),
  http: http.prefault({}),
  ingest: ingest.optional(),
  otlp: otlp.optional(),
  notifier: notifierForm.optional(),
  kafka: kafka.prefault({}),
  pipelines: z.array(pipeline).min(1),
});

/** Configuration as a user writes it: defaults may be left out, and lengths of time be written as "30m". */
export type ConfigurationInput = Written<z.input<typeof configurationSchema>> & { readonly $schema?: string };
type Written<T> = T extends Reducer | ((...given: never[]) => unknown)
  ? T
  : T extends readonly (infer Each)[]
    ? Written<Each>[]
    : T extends object
      ? OrPreset<{ [Name in keyof T]: WrittenAs<Name, T[Name]> }>
      : T;
/** A session with a preset may do without a timeout. */
type OrPreset<T> =
  Required<T> extends { timeoutMs: infer Timeout; preset: infer Preset }
    ? { [Name in keyof T as Exclude<Name, 'timeoutMs' | 'preset'>]: T[Name] } & (
        | { timeoutMs: Timeout; preset?: Preset | undefined }
        | { timeoutMs?: Timeout | undefined; preset: Exclude<Preset, undefined> }
      )
    : T;
type WrittenAs<Name, T> = Name extends `${string}Ms` ? T | WrittenDuration : Written<T>;

export type Configuration = z.output<typeof configurationSchema>;
export type SaslSection = z.output<typeof sasl>;
export type TlsSection = z.output<typeof tls>;
