// Who else reads an input whose timestamp type would be altered: what they read changes with it, live.
import { KafkaGroupAdmin } from '@flatline/kafka';
import type { StateReading } from './application-state.ts';
import type { TopicChange } from './topic-change.ts';
import type { ExistingTopic } from './existing-topic.ts';
import type { PipelineTopics } from '@flatline/processor';

/** Groups by topic. */
export type TopicReaders = ReadonlyMap<string, readonly string[]>;

const NAMED_MAX = 5;

/** Groups with committed offsets of the inputs that are not as configured, without the pipelines' own. @throws Retriable, Fatal. */
export async function readersOfAltered(
  pipelines: readonly PipelineTopics[],
  existing: ReadonlyMap<string, ExistingTopic>,
  reading: StateReading,
): Promise<TopicReaders> {
  const altered = pipelines.filter(({ input, timestampType }) => {
    const found = existing.get(input);
    return found !== undefined && found.settings.get('message.timestamp.type') !== timestampType;
  });
  if (altered.length === 0) return new Map();
  const own = new Set(pipelines.map(({ input, group }) => `${input}/${group}`));
  const found = await new KafkaGroupAdmin(reading).readersOf([...new Set(altered.map(({ input }) => input))]);
  return new Map(
    [...found].map(([topic, groups]) => [topic, groups.filter((group) => !own.has(`${topic}/${group}`))] as const),
  );
}

/** `groups a, b have committed offsets of it`; undefined: none has. */
export function readersText(topic: string, readers: TopicReaders): string | undefined {
  const groups = readers.get(topic) ?? [];
  if (groups.length === 0) return undefined;
  const more = groups.length - NAMED_MAX;
  const names = groups.slice(0, NAMED_MAX).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return groups.length === 1
    ? `group ${names} has committed offsets of it`
    : `groups ${names} have committed offsets of it`;
}

/** The warning before a topic's timestamp type is altered under other readers. */
export function readersWarnings(changes: readonly TopicChange[], readers: TopicReaders): string[] {
  return changes.flatMap((change) => {
    const type = change.kind === 'settings' ? change.settings.get('message.timestamp.type') : undefined;
    const others = type === undefined ? undefined : readersText(change.topic, readers);
    if (others === undefined) return [];
    return [`${change.topic}: ${others}, and records from the change on are of type ${type} for every reader`];
  });
}
