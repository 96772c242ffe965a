// From what a user wrote to what the program reads: validated, environment over file, defaults, secrets.
import { type DurationMs, type Millis } from '@flatline/base';
import { type Given, kindOf, type PipelineConfig, type PipelineSection, type Reducers } from '@flatline/kind-modules';
import { hostname } from 'node:os';
import { resolve as resolvePath } from 'node:path';
import { ConfigurationError, type Finding, shownValue } from './configuration-error.ts';
import { crossChecks } from './cross-checks.ts';
import { type Environment, isAtOrIn, unknownVariables, variableOf, withEnvironment } from './environment.ts';
import type {
  FlatlineConfig,
  IngestConfig,
  KafkaCredentials,
  OtlpConfig,
  SchemaRegistryConfig,
  TlsConfig,
} from './flatline-config.ts';
import { httpOf, senderCertificate } from './http-settings.ts';
import { explainIssue, withKindless } from './issue.ts';
import { parsedWithout } from './mended.ts';
import { changelogTopicOf, deadLetterTopicOf, groupOf } from './names.ts';
import { type AttributesConfig, attributesOf } from '@flatline/kind-modules/attributes';
import { deliveriesSection, type NotifierConfig, notifierOf, type NotifierParts } from './notifier/notifier-config.ts';
import type { SecretReference } from '@flatline/kind-modules/form';
import { type Configuration, configurationSchema, type TlsSection } from './schema.ts';
import { pingIntervalOf } from './ping-interval.ts';
import { saslOf } from './sasl-settings.ts';
import { SecretReader } from './secrets.ts';
import { inMilliseconds } from './written-durations.ts';
import { withKindDefaults } from './kind-defaults.ts';

/** Sections that refer to secrets. */
export type SecretSection = 'kafka' | 'schemaRegistry' | 'http' | 'ingest' | 'otlp' | 'attributes' | 'notifier';
export const SECRET_SECTIONS: readonly SecretSection[] = [
  'kafka',
  'schemaRegistry',
  'http',
  'ingest',
  'otlp',
  'attributes',
  'notifier',
];

export interface ResolveOptions {
  /** Name of the configuration in messages: the file's. */
  readonly source: string;
  /** Relative paths in it are relative to this. */
  readonly folder: string;
  readonly environment: Environment;
  /** Names of the flags that have said what variables say, by variable. */
  readonly flags?: Readonly<Record<string, string>> | undefined;
  /** Sections whose secrets are needed; the others are left out, so that nothing is used without them. Default: all. */
  readonly uses?: readonly SecretSection[] | undefined;
  /** The present; undefined where no instant of the configuration comes from a user. */
  readonly now?: Millis | undefined;
  /** Where the processor is embedded. Default: none. */
  readonly reducers?: Reducers | undefined;
}

/** @throws ConfigurationError with everything that is wrong (I4). */
export function resolveConfiguration(file: unknown, options: ResolveOptions): FlatlineConfig {
  const { source, folder, environment } = options;
  const merged = withKindDefaults(inMilliseconds(withoutSchema(withEnvironment(file, environment))));
  const parsed = configurationSchema.safeParse(merged);
  const issues = parsed.success ? [] : withKindless(parsed.error.issues, merged);
  // A number may be beyond two bounds, of which one is the form's own.
  const explained = issues.flatMap((issue) => explainIssue(issue, merged));
  const findings = [...new Map(explained.map((each) => [`${each.setting} ${each.problem}`, each])).values()];
  // One wrong setting does not hide what is wrong between others.
  const sound = parsed.success ? parsed : parsedWithout(merged, issues);
  const secrets = new SecretReader(folder, environment);
  let config: FlatlineConfig | undefined;
  if (sound.success) {
    config = resolved(sound.data, options, secrets);
    const between = crossChecks(sound.data, options).filter(
      ({ involved }) => !involved.some((setting) => isIn(setting, findings)),
    );
    findings.push(...between, ...urlCredentials(sound.data, environment), ...secrets.findings);
  }
  const all = [...unknownVariables(environment), ...findings.map((each) => withVariable(each, options))];
  if (config === undefined || all.length > 0) throw new ConfigurationError(source, all);
  return config;
}

/** `$schema` tells editors what the file is, and us nothing. */
function withoutSchema(root: unknown): unknown {
  if (typeof root !== 'object' || root === null || Array.isArray(root)) return root;
  return Object.fromEntries(Object.entries(root).filter(([name]) => name !== '$schema'));
}

/** True if a finding is about `setting`, a part of it, or something that it is part of. */
function isIn(setting: string, findings: readonly Finding[]): boolean {
  return findings.some((found) => isAtOrIn(found.setting, setting) || isAtOrIn(setting, found.setting));
}

function withVariable({ setting, value, problem }: Finding, { environment, flags = {} }: ResolveOptions): Finding {
  const variable = variableOf(setting, environment);
  if (variable === undefined) return { setting, value, problem };
  return { setting: `${flags[variable] ?? variable} (${setting})`, value, problem };
}

function urlCredentials({ schemaRegistryUrl }: Configuration, environment: Environment): Finding[] {
  const setting = 'schemaRegistryUrl';
  if (schemaRegistryUrl === undefined) return [];
  const value = shownValue(schemaRegistryUrl);
  if (/^\w+:\/\/[^/@]*:@/.test(schemaRegistryUrl))
    return [{ setting, value, problem: 'its password is empty; write one before the @, or leave out the user' }];
  if (variableOf(setting, environment) !== undefined || new URL(schemaRegistryUrl).password === '') return [];
  const problem = 'no password in the file; use schemaRegistryAuth { username, password: { "env": "…" } }';
  return [{ setting, value, problem }];
}

function resolved(
  config: Configuration,
  { folder, environment, reducers = {}, uses = SECRET_SECTIONS }: ResolveOptions,
  secrets: SecretReader,
): FlatlineConfig {
  const { sessionTimeoutMs, heartbeatIntervalMs, transactionTimeoutMs } = config.kafka;
  const times = { sessionTimeoutMs, heartbeatIntervalMs, transactionTimeoutMs };
  const pipelines = config.pipelines.map((pipeline, i) =>
    pipelineOf(config, pipeline, {
      reducers,
      hashKeys: uses.includes('attributes') ? { secrets, at: `pipelines[${i}]` } : undefined,
    }),
  );
  const notifier = notifierIn(config, pipelines, {
    environment,
    secrets: uses.includes('notifier') ? secrets : undefined,
  });
  return {
    application: config.application,
    brokers: config.brokers,
    schemaRegistry: uses.includes('schemaRegistry') ? registryOf(config, environment, secrets) : undefined,
    stateDir: resolvePath(folder, config.stateDir),
    instance: config.instance ?? defaultInstance(),
    instanceId: config.instance,
    ...(config.rack !== undefined && { rack: config.rack }),
    commitIntervalMs: config.commitIntervalMs,
    probeIntervalMs: config.probeIntervalMs,
    http: httpOf(config.http, secrets, uses.includes('http')),
    ingest: uses.includes('ingest') ? ingestOf(config, secrets) : undefined,
    ...(config.otlp && uses.includes('otlp') && { otlp: otlpOf(config.otlp, secrets) }),
    kafka: { ...times, ...(uses.includes('kafka') ? accessOf(config, secrets) : NO_ACCESS) },
    ...(notifier && { notifier }),
    pipelines: [...pipelines, ...(notifier?.pipelines ?? []).map(({ deliveries }) => deliveries)],
  };
}

function notifierIn(
  config: Configuration,
  pipelines: readonly PipelineConfig[],
  given: Pick<NotifierParts, 'environment' | 'secrets'>,
): NotifierConfig | undefined {
  if (config.notifier === undefined) return undefined;
  const deliveriesOf = (pipeline: string): PipelineConfig => ({
    ...pipelineOf(config, deliveriesSection(pipeline), { reducers: {}, hashKeys: undefined }),
    deliveriesOf: pipeline,
  });
  return notifierOf(config.notifier, { ...given, application: config.application, pipelines, deliveriesOf });
}

function otlpOf(
  { url, authorization, ca, intervalMs }: NonNullable<Configuration['otlp']>,
  secrets: SecretReader,
): OtlpConfig {
  const read = (from: SecretReader): string | undefined =>
    authorization === undefined ? undefined : from.token('otlp.authorization', authorization);
  // A fault at the start is a finding; a later one is told when it is met.
  read(secrets);
  return {
    url,
    intervalMs,
    ca: ca === undefined ? undefined : secrets.file('otlp.ca', ca),
    authorization: () => secrets.now(read),
  };
}

/** Human-readable host and process; it need not be the same after a restart. */
function defaultInstance(): string {
  return `${hostname().replace(/[^A-Za-z0-9._-]/g, '-')}-${process.pid}`;
}

function registryOf(
  config: Configuration,
  environment: Environment,
  secrets: SecretReader,
): SchemaRegistryConfig | undefined {
  const { schemaRegistryUrl: url, schemaRegistryAuth: auth, schemaRegistrySsl: ssl } = config;
  if (url === undefined) return undefined;
  const passwordOf = (reference: SecretReference): string =>
    secrets.read('schemaRegistryAuth.password', reference) ?? '';
  return {
    url,
    setting: variableOf('schemaRegistryUrl', environment) ?? 'schemaRegistryUrl',
    ...(auth !== undefined && { auth: { username: auth.username, password: passwordOf(auth.password) } }),
    ...(ssl !== undefined && { tls: tlsOf('schemaRegistrySsl', ssl, secrets) }),
    retries: config.schemaRegistryRetries,
    timeoutMs: config.schemaRegistryTimeoutMs,
  };
}

function ingestOf({ ingest, pipelines }: Configuration, secrets: SecretReader): IngestConfig | undefined {
  if (ingest === undefined) return undefined;
  const { tls, ...others } = ingest;
  const tokens = ingest.tokens.map((token, i) => secrets.token(`ingest.tokens[${i}]`, token) ?? '');
  const certificate = senderCertificate(tls, secrets);
  return { ...others, certificate, tokens, pingIntervalMs: pingIntervalOf(ingest, pipelines) };
}

/** Access of a command that does not use Kafka's secrets. */
const NO_ACCESS = { ssl: false, sasl: undefined, credentials: () => ({ ssl: false, sasl: undefined }) } as const;

function accessOf(
  config: Configuration,
  secrets: SecretReader,
): KafkaCredentials & { readonly credentials: () => KafkaCredentials } {
  const credentials = (): KafkaCredentials => secrets.now((again) => credentialsOf(config, again));
  return { ...credentialsOf(config, secrets), credentials };
}

function credentialsOf({ kafka: { ssl, sasl } }: Configuration, secrets: SecretReader): KafkaCredentials {
  return {
    sasl: saslOf(sasl, secrets),
    ssl: typeof ssl === 'boolean' ? ssl : tlsOf('kafka.ssl', ssl, secrets),
  };
}

function tlsOf(setting: string, ssl: TlsSection, secrets: SecretReader): TlsConfig {
  const { servername, rejectUnauthorized } = ssl;
  const found = {
    ca: ssl.ca === undefined ? undefined : secrets.file(`${setting}.ca`, ssl.ca),
    cert: ssl.cert === undefined ? undefined : secrets.file(`${setting}.cert`, ssl.cert),
    key: ssl.key === undefined ? undefined : secrets.read(`${setting}.key`, ssl.key),
    passphrase: ssl.passphrase === undefined ? undefined : secrets.read(`${setting}.passphrase`, ssl.passphrase),
  };
  // node:tls tells a property that is undefined from one that is not there.
  const given = Object.entries({ ...found, servername, rejectUnauthorized }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}

const LEAD_MAX_MS = 60_000;
/** One part in so many of the timeout; the rest is for the time between two signs of life. */
const LEAD_SHARE = 3;

/** One clock that is fast must not end the sessions of those whose clocks are right (C6). */
function leadFor(silenceMs: DurationMs | undefined): DurationMs {
  return silenceMs === undefined ? LEAD_MAX_MS : Math.max(1, Math.min(LEAD_MAX_MS, Math.floor(silenceMs / LEAD_SHARE)));
}

interface GivenWithKeys extends Given {
  /** undefined: the keys of `attributes` are not needed. */
  readonly hashKeys: { readonly secrets: SecretReader; readonly at: string } | undefined;
}

function pipelineOf({ application }: Configuration, section: PipelineSection, given: GivenWithKeys): PipelineConfig {
  const { name, output, maxKeyBytes, maxFutureMs, liveWithinMs } = section;
  const kind = kindOf(section);
  const own = kind.resolve(section, given);
  const maxLeadMs = section.maxLeadMs ?? leadFor(kind.silence(own));
  const bounds = { maxKeyBytes, maxFutureMs, maxLeadMs, liveWithinMs };
  const sections = [section.input].flat();
  const all = sections.map((input, i) => ({
    ...picked(input, ['topic', 'format', 'timestampType', 'partitioner']),
    ...bounds,
    ...attributesIn(input, Array.isArray(section.input) ? `input[${i}]` : 'input', given),
  }));
  const inputs = all.map((input, i) => ({ ...input, ...mergedOf(sections[i]!) }));
  const shared = {
    name,
    input: all[0]!,
    ...(inputs.length > 1 && { inputs }),
    output,
    deadLetterTopic: deadLetterTopicOf(application, section),
    changelogTopic: changelogTopicOf(application, name),
    group: groupOf(application, name),
    ...picked(section, AS_WRITTEN),
  };
  // Rules and name of one kind, which TypeScript does not follow.
  return { ...shared, ...own } as PipelineConfig;
}

type InputSection = Exclude<PipelineSection['input'], readonly unknown[]>;

/** E1 */
function attributesIn(
  { attributes }: InputSection,
  place: string,
  { hashKeys }: GivenWithKeys,
): { readonly attributes?: AttributesConfig } {
  if (attributes === undefined) return {};
  const { hashKey } = attributes;
  const key = hashKey && hashKeys?.secrets.hashKey(`${hashKeys.at}.${place}.attributes.hashKey`, hashKey);
  return { attributes: attributesOf(attributes, key) };
}

/** Settings of one of several alone (S8). */
function mergedOf({ touches, unknownKey, holdMs = HOLD_MS }: InputSection) {
  // Only what waits for a session is held.
  return { touches, unknownKey, holdMs: unknownKey === 'hold' ? holdMs : 0 };
}

/** Default of `holdMs`. */
const HOLD_MS: DurationMs = 3_600_000;

/** Settings that a pipeline has under the same name as its section. */
const AS_WRITTEN = [
  'routes',
  'maxStateBytes',
  'proof',
  'proofIntervalMs',
  'clockSkewMs',
  'closeDelayMs',
  'tickMs',
  'handoverMs',
  'stoppedRetryMs',
  'drainMs',
  'changelogFactor',
  'changelogFormat',
  'truncateLagMs',
  'truncateLagBytes',
  'standbys',
  'startFrom',
] as const;

function picked<T, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, K>;
}
