// Compares the topics a configuration needs with those that are there, and says what is to be done. Pure.
import { type PipelineTopics, requirementsOf, type TopicRequirement } from './topic-requirements.ts';

/** A topic as it is. */
export interface ExistingTopic {
  readonly topic: string;
  readonly partitions: number;
  readonly settings: ReadonlyMap<string, string>;
}

export interface NewTopic {
  readonly topic: string;
  readonly role: TopicRequirement['role'];
  readonly partitions: number;
  readonly settings: ReadonlyMap<string, string>;
}

/** What is wrong with a topic that is there, and how to mend it. */
export interface Deviation {
  readonly topic: string;
  readonly problem: string;
  readonly remedy: string;
}

export interface TopicPlan {
  /** To be created; with deviations, nothing is to be created before they are mended. */
  readonly missing: readonly NewTopic[];
  readonly deviations: readonly Deviation[];
}

/**
 * @param partitions for inputs that do not exist; one that exists decides by itself, and `asked` then has to agree.
 */
export function planTopics(
  pipelines: readonly PipelineTopics[],
  existing: ReadonlyMap<string, ExistingTopic>,
  partitions: { readonly asked: number | undefined; readonly fallback: number },
): TopicPlan {
  const plans = pipelines.map((topics) => planPipeline(topics, existing, partitions));
  const missing = new Map(plans.flatMap((plan) => plan.missing).map((topic) => [topic.topic, topic]));
  return { missing: [...missing.values()], deviations: plans.flatMap((plan) => plan.deviations) };
}

function planPipeline(
  topics: PipelineTopics,
  existing: ReadonlyMap<string, ExistingTopic>,
  { asked, fallback }: { readonly asked: number | undefined; readonly fallback: number },
): TopicPlan {
  const input = existing.get(topics.input);
  const partitions = input?.partitions ?? asked ?? fallback;
  const inputMessageBytes = Number(input?.settings.get('max.message.bytes') ?? Number.NaN);
  const requirements = requirementsOf(topics, Number.isNaN(inputMessageBytes) ? undefined : inputMessageBytes);
  const missing = requirements
    .filter(({ topic }) => !existing.has(topic))
    .map(({ topic, role, settings }) => ({
      ...{ topic, role, partitions },
      settings: new Map(settings.map(({ name, value }) => [name, value])),
    }));
  const deviations = requirements.flatMap((requirement) => {
    const found = existing.get(requirement.topic);
    return found === undefined ? [] : deviationsOf(requirement, found, topics.input, partitions);
  });
  if (input !== undefined && asked !== undefined && asked !== input.partitions)
    deviations.unshift(otherPartitions(input, asked));
  return { missing, deviations };
}

function otherPartitions(input: ExistingTopic, asked: number): Deviation {
  return {
    topic: input.topic,
    problem: `has ${input.partitions} partitions, --partitions says ${asked}`,
    remedy: `leave --partitions out: the other topics follow the input`,
  };
}

function deviationsOf(
  { topic, role, settings }: TopicRequirement,
  found: ExistingTopic,
  input: string,
  partitions: number,
): Deviation[] {
  const deviations: Deviation[] = [];
  if (role !== 'input' && found.partitions !== partitions)
    deviations.push({
      topic,
      problem: `has ${found.partitions} partitions, its input ${input} has ${partitions}`,
      remedy: `delete ${topic} if nothing needs it and run: flatline topics create`,
    });
  for (const { name, value, accepts, reason } of settings) {
    const actual = found.settings.get(name);
    if (actual !== undefined && accepts(actual)) continue;
    deviations.push({
      topic,
      problem: `${name} is ${actual ?? 'not known'}, wanted ${value}: otherwise ${reason}`,
      remedy: `kafka-configs.sh --alter --entity-type topics --entity-name ${topic} --add-config ${name}=${value}`,
    });
  }
  return deviations;
}

export function missingDeviation({ topic }: NewTopic): Deviation {
  return { topic, problem: 'does not exist', remedy: 'flatline topics create' };
}

export function deviationText({ topic, problem, remedy }: Deviation): string {
  return `${topic}: ${problem}\n    remedy: ${remedy}`;
}
