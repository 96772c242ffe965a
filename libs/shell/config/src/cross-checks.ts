// Checks of settings against each other, and of what this version does not do yet.
import { CHANGELOG_FORMAT, CHANGELOG_FORMATS, INSTANT_MAX, type Millis } from '@flatline/base';
import { kindOf, type PipelineSection, type Reducers, type TargetUse } from '@flatline/kind-modules';
import { attributeChecks } from './attribute-checks.ts';
import { type CrossFinding, finding } from './cross-finding.ts';
import { httpChecks, senderPortChecks } from './http-settings.ts';
import { ingestChecks } from './ingest-checks.ts';
import { inputChecks } from './input-checks.ts';
import { probeChecks } from './probe-checks.ts';
import { routeChecks } from './route-checks.ts';
import { saslChecks } from './sasl-settings.ts';
import { deliveriesSection, notifiedBy } from './notifier/notifier-config.ts';
import { notifierChecks } from './notifier/notifier-checks.ts';
import { changelogTopicOf, deadLetterTopicOf } from './names.ts';
import type { Configuration } from './schema.ts';

/** Context of the checks that is no part of the configuration. */
export interface CheckedAgainst {
  /** The present; undefined: no instant is compared with it. */
  readonly now?: Millis | undefined;
  readonly reducers?: Reducers | undefined;
}

export function crossChecks(config: Configuration, { now, reducers = {} }: CheckedAgainst): CrossFinding[] {
  return [
    ...kafkaChecks(config),
    ...saslChecks(config.kafka.sasl).map((found) => ({ ...found, involved: [found.setting, 'kafka.sasl.mechanism'] })),
    ...duplicateNames(config),
    ...config.pipelines.flatMap((pipeline, i) => [
      ...pipelineChecks(pipeline, `pipelines[${i}]`, reducers),
      ...startChecks(pipeline, `pipelines[${i}]`, now),
    ]),
    ...topicClashes(config),
    ...registryChecks(config),
    ...httpChecks(config.http),
    ...otlpChecks(config),
    ...ingestChecks(config),
    ...(config.ingest === undefined ? [] : senderPortChecks(config.ingest)),
    ...notifierChecks(config),
    ...probeChecks(config),
    ...routeChecks(config),
  ];
}

function kafkaChecks({ kafka, commitIntervalMs }: Configuration): CrossFinding[] {
  const { heartbeatIntervalMs, sessionTimeoutMs, transactionTimeoutMs } = kafka;
  const found: CrossFinding[] = [];
  if (heartbeatIntervalMs * 3 > sessionTimeoutMs) {
    const problem = `at most a third of kafka.sessionTimeoutMs (${sessionTimeoutMs}): one lost heartbeat must not expel`;
    found.push(finding('kafka.heartbeatIntervalMs', heartbeatIntervalMs, problem, ['kafka.sessionTimeoutMs']));
  }
  if (commitIntervalMs >= transactionTimeoutMs) {
    const problem = `less than kafka.transactionTimeoutMs (${transactionTimeoutMs})`;
    found.push(finding('commitIntervalMs', commitIntervalMs, problem, ['kafka.transactionTimeoutMs']));
  }
  return found;
}

/** State directories bear the names, and not every file system tells "Visits" from "visits". */
function duplicateNames({ pipelines }: Configuration): CrossFinding[] {
  return pipelines.flatMap(({ name }, i) => {
    const first = pipelines.findIndex((other) => other.name.toLowerCase() === name.toLowerCase());
    const problem = `another pipeline has this name (pipelines[${first}])`;
    return first < i ? [finding(`pipelines[${i}].name`, name, problem, [`pipelines[${first}].name`])] : [];
  });
}

function pipelineChecks(pipeline: PipelineSection, at: string, reducers: Reducers): CrossFinding[] {
  return [
    ...kindOf(pipeline)
      .problems(pipeline, { reducers })
      .map(({ setting, value, problem, involved = [] }) =>
        finding(
          `${at}.${setting}`,
          value,
          problem,
          ['kind', ...involved].map((each) => `${at}.${each}`),
        ),
      ),
    ...fetchChecks(pipeline, at),
    ...formatChecks(pipeline, at),
    ...inputChecks(pipeline, at),
    ...attributeChecks(pipeline, at),
    ...emitChecks(pipeline, at),
  ];
}

/** K9: what is written must be what every instance reads, this one among them. */
function formatChecks({ changelogFormat }: PipelineSection, at: string): CrossFinding[] {
  if (CHANGELOG_FORMATS.includes(changelogFormat)) return [];
  const written = `${CHANGELOG_FORMATS.slice(0, -1).join(', ')} or ${CHANGELOG_FORMAT}`;
  const problem =
    changelogFormat > CHANGELOG_FORMAT
      ? `${written}: this version reads and writes nothing newer. Run the version that does, or leave the setting out`
      : `${written}: no release wrote another, and none is read. Leave the setting out`;
  return [finding(`${at}.changelogFormat`, changelogFormat, problem)];
}

/** Where no record is stamped at or past it yet, reading begins at the end: with records that come before it. */
function startChecks({ startFrom }: PipelineSection, at: string, now: Millis | undefined): CrossFinding[] {
  if (now === undefined || typeof startFrom === 'string' || startFrom.timestamp <= now) return [];
  const { timestamp } = startFrom;
  const shown = timestamp > INSTANT_MAX ? String(timestamp) : new Date(timestamp).toISOString();
  const problem =
    `an instant that has passed: ${shown} is ${timestamp - now} ms ahead of this machine's clock ` +
    `(${new Date(now).toISOString()}), and records that come before it would be read. Start then, or use "latest"`;
  return [finding(`${at}.startFrom.timestamp`, timestamp, problem)];
}

/** Finds settings under which silence cannot be proved without writing to the input (C3). */
function fetchChecks({ proof, input }: PipelineSection, at: string): CrossFinding[] {
  if (proof !== 'fetch' || [input].flat().every(({ timestampType }) => timestampType !== 'CreateTime')) return [];
  const problem = '"record" where timestampType is "CreateTime": the stamps of producers tell no present (rule C3)';
  return [finding(`${at}.proof`, proof, problem, [`${at}.input.timestampType`])];
}

/** A setting that would be accepted and not obeyed is worse than an error. */
function emitChecks({ kind, emit }: PipelineSection, at: string): CrossFinding[] {
  if (kindOf({ kind }).emits !== undefined || emit.every((said) => said === 'closed')) return [];
  return [finding(`${at}.emit`, emit, `["closed"]: a ${kind} pipeline has nothing else to say`)];
}

/** Each with its name within the section. */
function inputsOf({ input }: Pick<PipelineSection, 'input'>): { topic: string; format: string; place: string }[] {
  if (!Array.isArray(input)) return [{ ...input, place: 'input' }];
  return input.map((each, i) => ({ ...each, place: `input[${i}]` }));
}

interface TopicUse {
  readonly topic: string;
  readonly setting: string;
  readonly kind: 'input' | 'output' | 'derived' | 'target' | 'scheduled' | 'route';
}

/** The uses of topics beside the output. */
const TARGET_USES: Readonly<Record<TargetUse, (at: string, i: number) => Omit<TopicUse, 'topic'>>> = {
  statistics: (at) => ({ setting: `${at}.output.topic (statistics)`, kind: 'derived' }),
  outputs: (at, i) => ({ setting: `${at}.targets[${i}]`, kind: 'target' }),
};

/** Two uses of one topic would mix records of different meaning. */
function topicClashes(config: Configuration): CrossFinding[] {
  const uses = config.pipelines.flatMap((pipeline, i) => topicUses(config.application, pipeline, `pipelines[${i}]`));
  const notified = config.pipelines.filter(({ name }) => notifiedBy(config.notifier?.endpoints ?? [], name).length > 0);
  uses.push(...notified.flatMap(({ name }) => deliveryTopicUses(config.application, name)));
  return uses.flatMap((use, i) => {
    const clash = uses.slice(0, i).find((other) => isClash(use, other));
    if (clash === undefined) return [];
    const problem =
      clash.topic === use.topic
        ? `a topic of its own; ${clash.setting} is the same${insteadOf(use, clash)}`
        : `another topic; Kafka takes "." and "_" for the same, and ${clash.setting} is ${clash.topic}`;
    return [finding(use.setting, use.topic, problem, [clash.setting])];
  });
}

/** Tombstones would cancel what runs there, and clock records lie among outputs. */
function insteadOf({ kind: a, setting: at }: TopicUse, { kind: b, setting: other }: TopicUse): string {
  // A pipeline has no routes to itself.
  if (at.split('.')[0] === other.split('.')[0]) return '';
  const isOneOf = (kinds: readonly string[]): boolean => kinds.includes(a) && kinds.includes(b) && a !== b;
  return isOneOf(['input', 'output']) || isOneOf(['scheduled', 'output'])
    ? '. What an output is to bring about there, its pipeline says in routes (rule P3)'
    : '';
}

function topicUses(application: string, pipeline: PipelineSection, at: string): TopicUse[] {
  const { name, output, deadLetterTopic } = pipeline;
  const ofName = (topic: string, what: string): TopicUse => ({
    topic,
    setting: `${at}.name (${what})`,
    kind: 'derived',
  });
  const { inputUse: read, targetUse, resolve } = kindOf(pipeline);
  const { targets } = resolve(pipeline, { reducers: {} });
  return [
    ...inputsOf(pipeline).map(({ topic, place }) => ({ topic, setting: `${at}.${place}.topic`, kind: read })),
    ...targets.map((topic, i) => ({ topic, ...TARGET_USES[targetUse](at, i) })),
    ...(pipeline.routes ?? []).map(({ to }, i) => ({
      topic: to,
      setting: `${at}.routes[${i}].to`,
      kind: 'route' as const,
    })),
    { topic: output.topic, setting: `${at}.output.topic`, kind: 'output' },
    deadLetterTopic === undefined
      ? ofName(deadLetterTopicOf(application, pipeline), 'dead letters')
      : { topic: deadLetterTopic, setting: `${at}.deadLetterTopic`, kind: 'output' },
    ofName(changelogTopicOf(application, name), 'changelog'),
  ];
}

/** The pipeline that keeps another's deliveries has topics named after that one. */
function deliveryTopicUses(application: string, pipeline: string): TopicUse[] {
  const setting = `notifier.endpoints (deliveries of ${pipeline})`;
  const uses = topicUses(application, deliveriesSection(pipeline), setting);
  return uses.map(({ topic }) => ({ topic, setting, kind: 'derived' }));
}

/**
 * Several pipelines may read one input, and names of their own keep what is derived from them apart. Kafka refuses to
 * create topics that differ in "." and "_" only. What is due may go to several targets, and be the input of another kind:
 * in an input of schedules its headers would schedule it again.
 */
function isClash(a: TopicUse, b: TopicUse): boolean {
  if (a.topic === b.topic && areInputs(a, b)) return false;
  if (a.kind === b.kind && a.kind !== 'output' && a.topic === b.topic) return false;
  return a.topic.replaceAll('.', '_') === b.topic.replaceAll('.', '_');
}

function areInputs({ kind: a }: TopicUse, { kind: b }: TopicUse): boolean {
  const reads = ['input', 'scheduled'];
  // Routed records are written as their readers want them, for inputs above all (P3).
  const mayShare = [...reads, 'target', 'route'];
  if ((a === 'route' && mayShare.includes(b)) || (b === 'route' && mayShare.includes(a))) return true;
  return (
    (reads.includes(a) && reads.includes(b)) || (a === 'input' && b === 'target') || (a === 'target' && b === 'input')
  );
}

/** The address is logged with each sending that fails. */
function otlpChecks({ otlp }: Configuration): CrossFinding[] {
  if (otlp === undefined) return [];
  const { username, password } = new URL(otlp.url);
  if (username + password === '') return [];
  const problem = 'a URL without user and password: the header is a secret of its own, otlp.authorization';
  return [finding('otlp.url', undefined, problem)];
}

function registryChecks(config: Configuration): CrossFinding[] {
  const { pipelines, schemaRegistryUrl, schemaRegistrySsl } = config;
  if (schemaRegistryUrl !== undefined) {
    if (schemaRegistrySsl === undefined || schemaRegistryUrl.startsWith('https:')) return [];
    const problem = 'needs an https:// address: what schemaRegistryUrl names is not encrypted';
    return [finding('schemaRegistrySsl', undefined, problem, ['schemaRegistryUrl'])];
  }
  const needs = pipelines.flatMap(({ input, output }, i) => [
    ...inputsOf({ input }).flatMap(({ format, place }) =>
      format === 'avro' ? [`pipelines[${i}].${place}.format`] : [],
    ),
    ...(output.format === 'avro' ? [`pipelines[${i}].output.format`] : []),
  ]);
  const problem = 'needs a schema registry: set schemaRegistryUrl, or SCHEMA_REGISTRY_URL in the environment';
  const found = needs.map((setting) => finding(setting, 'avro', problem, ['schemaRegistryUrl']));
  for (const setting of ['schemaRegistryAuth', 'schemaRegistrySsl'] as const)
    if (config[setting] !== undefined) found.push(finding(setting, undefined, problem, ['schemaRegistryUrl']));
  return found;
}
