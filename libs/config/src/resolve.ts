// From what a user wrote to what the program reads: validated, environment over file, defaults, secrets.
import { hostname } from 'node:os';
import { readFileSync } from 'node:fs';
import { resolve as resolvePath } from 'node:path';
import type { z } from 'zod';
import { ConfigurationError, type Finding, shownValue } from './configuration-error.ts';
import { crossChecks } from './cross-checks.ts';
import { type Environment, unknownVariables, withEnvironment } from './environment.ts';
import type { FlatlineConfig, KafkaConfig, PipelineConfig } from './flatline-config.ts';
import { changelogTopicOf, deadLetterTopicOf, groupOf } from './names.ts';
import { type Configuration, configurationSchema, type PipelineSection, type SecretReference } from './schema.ts';
import { explainIssue } from './issue.ts';

export interface ResolveOptions {
  /** What to call it in messages: the file's name. */
  readonly source: string;
  /** Relative paths in it are relative to this. */
  readonly folder: string;
  readonly environment: Environment;
}

/** @throws ConfigurationError with everything that is wrong. */
export function resolveConfiguration(file: unknown, options: ResolveOptions): FlatlineConfig {
  const { source, folder, environment } = options;
  const merged = withEnvironment(file, environment);
  const parsed = configurationSchema.safeParse(merged);
  const variables = unknownVariables(environment);
  if (!parsed.success) throw new ConfigurationError(source, [...variables, ...explain(parsed.error, merged)]);
  const findings = [...variables, ...crossChecks(parsed.data)];
  const password = secretOf(parsed.data.kafka.sasl?.password, options, findings);
  if (findings.length > 0) throw new ConfigurationError(source, findings);
  const config = parsed.data;
  return {
    application: config.application,
    brokers: config.brokers,
    schemaRegistryUrl: config.schemaRegistryUrl,
    stateDir: resolvePath(folder, config.stateDir),
    instance: config.instance ?? defaultInstance(),
    commitIntervalMs: config.commitIntervalMs,
    http: config.http,
    kafka: kafkaOf(config, password),
    pipelines: config.pipelines.map((pipeline) => pipelineOf(config, pipeline)),
  };
}

function explain(error: z.ZodError, value: unknown): Finding[] {
  return error.issues.flatMap((issue) => explainIssue(issue, value));
}

/** Host and process, for people; nothing depends on it being the same after a restart. */
function defaultInstance(): string {
  return `${hostname().replace(/[^A-Za-z0-9._-]/g, '-')}-${process.pid}`;
}

function kafkaOf({ kafka }: Configuration, password: string | undefined): KafkaConfig {
  const { ssl, sasl, sessionTimeoutMs, heartbeatIntervalMs, transactionTimeoutMs } = kafka;
  const credentials =
    sasl === undefined || password === undefined
      ? undefined
      : { mechanism: sasl.mechanism, username: sasl.username, password };
  return { ssl, sasl: credentials, sessionTimeoutMs, heartbeatIntervalMs, transactionTimeoutMs };
}

function pipelineOf({ application }: Configuration, section: PipelineSection): PipelineConfig {
  const { name, output, maxKeyBytes, maxFutureMs, maxLeadMs, liveWithinMs } = section;
  const { timeoutMs, minTimeoutMs, maxTimeoutMs, maxDurationMs } = section;
  const { dedupeEventIds, maxAttributes, maxAttributeBytes } = section;
  const { proofIntervalMs, tickMs, handoverMs, drainMs, changelogFactor, truncateLagMs } = section;
  // The cross-checks allow one input.
  const input = [section.input].flat()[0]!;
  return {
    name,
    kind: 'session',
    input: { ...input, maxKeyBytes, maxFutureMs, maxLeadMs, liveWithinMs },
    output,
    deadLetterTopic: deadLetterTopicOf(application, section),
    changelogTopic: changelogTopicOf(application, name),
    group: groupOf(application, name),
    rules: { timeoutMs, minTimeoutMs, maxTimeoutMs, maxDurationMs, dedupeEventIds, maxAttributes, maxAttributeBytes },
    ...{ proofIntervalMs, tickMs, handoverMs, drainMs, changelogFactor, truncateLagMs },
  };
}

function secretOf(
  reference: SecretReference | undefined,
  { folder, environment }: ResolveOptions,
  findings: Finding[],
): string | undefined {
  if (reference === undefined) return undefined;
  const setting = 'kafka.sasl.password';
  if ('env' in reference) {
    const value = environment[reference.env];
    if (value === undefined || value === '')
      findings.push({ setting, value: shownValue(reference), problem: `the variable ${reference.env} is not set` });
    return value;
  }
  try {
    return readFileSync(resolvePath(folder, reference.file), 'utf8').trimEnd();
  } catch (error) {
    const problem = `the file cannot be read (${error instanceof Error ? error.message : String(error)})`;
    findings.push({ setting, value: shownValue(reference), problem });
    return undefined;
  }
}
