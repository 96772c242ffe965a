// The topics of one pipeline, as a broker may show them, and what is planned for them.
import type { ApplicationState } from './application-state.ts';
import type { ExistingTopic } from './existing-topic.ts';
import { type Findings, planTopics, type TopicPlan } from './topic-plan.ts';
import type { PipelineTopics } from '@flatline/processor';

export const visits: PipelineTopics = {
  pipeline: 'visits',
  group: 'shop.visits',
  input: 'visit-events',
  timestampType: 'LogAppendTime',
  writesInput: true,
  output: 'visits',
  changelog: 'shop.visits.changelog',
  deadLetters: 'shop.visits.dead-letters',
  largest: { changelogBytes: 310_000, outputBytes: 70_000, settings: 'maxKeyBytes 512' },
};
export const none = new Map<string, ExistingTopic>();
const partitions = { asked: undefined, fallback: 8 };

export function plan(
  pipelines: readonly PipelineTopics[],
  existing: ReadonlyMap<string, ExistingTopic>,
  more: Partial<Findings> = {},
): TopicPlan {
  const unseen = { states: new Map(), readers: new Map(), foreignOutputs: new Set<string>(), foreignDeliveries: [] };
  return planTopics(pipelines, { existing, partitions, ...unseen, flags: ' --config shop.json', ...more });
}

/** The topics as a broker shows them after they were created by plan: what was not set has Kafka's default. */
export function created(topics: PipelineTopics = visits, asked?: number): Map<string, ExistingTopic> {
  const { missing } = plan([topics], none, { partitions: { ...partitions, asked } });
  return new Map(
    missing.map(({ topic, partitions: count, settings }) => [
      topic,
      {
        topic,
        partitions: count,
        settings: new Map([['max.message.bytes', '1048588'], ['retention.ms', '604800000'], ...settings]),
      },
    ]),
  );
}

export function altered(topic: string, name: string, value: string): Map<string, ExistingTopic> {
  const topics = created();
  const found = topics.get(topic)!;
  return topics.set(topic, { ...found, settings: new Map([...found.settings, [name, value]]) });
}

/** State in eight partitions. */
export const held: Extract<ApplicationState, { kind: 'held' }> = {
  kind: 'held',
  partitions: 8,
  liveEntries: 6,
  clock: Date.UTC(2026, 0, 2),
  timestampTypes: { before: ['LogAppendTime'], next: [] },
};
export const withState = (state: ApplicationState): Partial<Findings> => ({
  states: new Map([[visits.changelog, state]]),
});
