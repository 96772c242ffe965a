// What settings must be to each other, and what this version does not do yet.
import { type Finding, shownValue } from './configuration-error.ts';
import type { Configuration, PipelineSection } from './schema.ts';
import { changelogTopicOf, deadLetterTopicOf } from './names.ts';

export function crossChecks(config: Configuration): Finding[] {
  return [
    ...kafkaChecks(config),
    ...duplicateNames(config),
    ...config.pipelines.flatMap((pipeline, i) => pipelineChecks(pipeline, `pipelines[${i}]`)),
    ...topicClashes(config),
    ...registryChecks(config),
  ];
}

function kafkaChecks({ kafka }: Configuration): Finding[] {
  if (kafka.heartbeatIntervalMs * 3 <= kafka.sessionTimeoutMs) return [];
  const problem = `at most a third of kafka.sessionTimeoutMs (${kafka.sessionTimeoutMs}): one lost heartbeat must not expel`;
  return [finding('kafka.heartbeatIntervalMs', kafka.heartbeatIntervalMs, problem)];
}

function duplicateNames({ pipelines }: Configuration): Finding[] {
  return pipelines.flatMap(({ name }, i) =>
    pipelines.findIndex((other) => other.name === name) < i
      ? [finding(`pipelines[${i}].name`, name, 'another pipeline has this name')]
      : [],
  );
}

function pipelineChecks(pipeline: PipelineSection, at: string): Finding[] {
  return [...timeoutChecks(pipeline, at), ...notYet(pipeline, at)];
}

function timeoutChecks(pipeline: PipelineSection, at: string): Finding[] {
  const { timeoutMs, minTimeoutMs, maxTimeoutMs, graceMs, maxDurationMs } = pipeline;
  const found: Finding[] = [];
  if (minTimeoutMs > maxTimeoutMs)
    found.push(finding(`${at}.minTimeoutMs`, minTimeoutMs, `at most maxTimeoutMs (${maxTimeoutMs})`));
  else if (timeoutMs < minTimeoutMs || timeoutMs > maxTimeoutMs)
    found.push(
      finding(`${at}.timeoutMs`, timeoutMs, `minTimeoutMs (${minTimeoutMs}) to maxTimeoutMs (${maxTimeoutMs})`),
    );
  if (graceMs > 0 && maxDurationMs !== undefined)
    found.push(finding(`${at}.graceMs`, graceMs, 'not together with maxDurationMs (rule C7)'));
  return found;
}

/** A setting that would be accepted and not obeyed is worse than an error. */
function notYet(pipeline: PipelineSection, at: string): Finding[] {
  const version = 'is not available in this version';
  const found: Finding[] = [];
  const refuse = (setting: string, value: unknown, allowed: string): void => {
    found.push(finding(`${at}.${setting}`, value, `${version}; use ${allowed}`));
  };
  if (pipeline.kind !== 'session') refuse('kind', pipeline.kind, '"session"');
  if (Array.isArray(pipeline.input) && pipeline.input.length > 1)
    refuse('input', `${pipeline.input.length} inputs`, 'one input');
  if (pipeline.proof !== 'record') refuse('proof', pipeline.proof, '"record"');
  if (pipeline.emit.some((kind) => kind !== 'closed')) refuse('emit', pipeline.emit, '["closed"]');
  for (const setting of ['revisionWindowMs', 'graceMs', 'unheardMs', 'standbys'] as const)
    if (pipeline[setting] !== 0) refuse(setting, pipeline[setting], '0');
  return found;
}

/** Two uses of one topic would mix records of different meaning. */
function topicClashes(config: Configuration): Finding[] {
  const uses = config.pipelines.flatMap((pipeline, i) => [
    ...[pipeline.input].flat().map(({ topic }) => ({ topic, setting: `pipelines[${i}].input.topic`, kind: 'input' })),
    { topic: pipeline.output.topic, setting: `pipelines[${i}].output.topic`, kind: 'output' },
    { topic: deadLetterTopicOf(config.application, pipeline), setting: `pipelines[${i}].deadLetterTopic`, kind: 'own' },
    {
      topic: changelogTopicOf(config.application, pipeline.name),
      setting: `pipelines[${i}].name (changelog)`,
      kind: 'own',
    },
  ]);
  return uses.flatMap(({ topic, setting, kind }, i) => {
    // Several pipelines may read one input.
    const clash = uses.find(
      (other, j) => j < i && other.topic === topic && !(kind === 'input' && other.kind === 'input'),
    );
    return clash === undefined ? [] : [finding(setting, topic, `a topic of its own; ${clash.setting} is the same`)];
  });
}

function registryChecks({ pipelines, schemaRegistryUrl }: Configuration): Finding[] {
  if (schemaRegistryUrl !== undefined) return [];
  const needs = pipelines.flatMap(({ input, output }, i) => [
    ...[input].flat().flatMap((each) => (each.format === 'avro' ? [`pipelines[${i}].input.format`] : [])),
    ...(output.format === 'avro' ? [`pipelines[${i}].output.format`] : []),
  ]);
  const problem = 'needs a schema registry: set schemaRegistryUrl, or SCHEMA_REGISTRY_URL in the environment';
  return needs.map((setting) => finding(setting, 'avro', problem));
}

function finding(setting: string, value: unknown, problem: string): Finding {
  return { setting, value: shownValue(value), problem };
}
