import { describe, expect, test } from '@jest/globals';
import type { TopicDescription } from '@flatline/kafka';
import { checkTopics } from './check-topics.ts';
import type { PipelineTopics } from './topic-requirements.ts';

const visits: PipelineTopics = {
  pipeline: 'visits',
  group: 'shop.visits',
  input: 'visit-events',
  timestampType: 'LogAppendTime',
  writesInput: true,
  output: 'visits',
  targets: ['hooks'],
  changelog: 'shop.visits.changelog',
  deadLetters: 'shop.visits.dead-letters',
  largest: { changelogBytes: 310_000, outputBytes: 70_000, settings: 'maxKeyBytes 512' },
};
/** As Kafka makes topics of itself; but the messages of dead letters are those of their input and more. */
const byDefault = {
  kind: 'present',
  topicId: '0'.repeat(32),
  partitions: 4,
  rights: undefined,
  replicationFactor: 1,
  cleanupPolicy: ['delete'],
  timestampType: 'CreateTime',
  timestampBeforeMaxMs: Infinity,
  timestampAfterMaxMs: 3_600_000,
  maxMessageBytes: 1_048_588,
  segmentBytes: 1_073_741_824,
  minInSyncReplicas: 1,
  electsCleanly: true,
  retentionMs: 604_800_000,
  retentionBytes: -1,
} as const;
const { input, output, changelog, deadLetters } = visits;
const good: Record<string, Partial<TopicDescription>> = {
  [input]: { timestampType: 'LogAppendTime' },
  [output]: {},
  hooks: { cleanupPolicy: ['compact'] },
  [changelog]: { timestampType: 'LogAppendTime', retentionMs: -1, segmentBytes: 67_108_864 },
  [deadLetters]: { maxMessageBytes: 1_114_124 },
};

function checking(changes: Record<string, Partial<TopicDescription> | undefined> = {}): () => void {
  const there = Object.entries({ ...good, ...changes }).filter((each) => each[1] !== undefined);
  const topics = new Map(there.map(([topic, made]) => [topic, { ...byDefault, topic, ...made }]));
  return () => {
    checkTopics([visits], topics);
  };
}

describe('the topics of an embedded processor', () => {
  test('[K7][O5] are as topics create makes them, or altered where that loses nothing', () => {
    expect(checking()).not.toThrow();
    expect(checking({ [input]: { timestampType: 'CreateTime', retentionMs: 60_000 } })).not.toThrow();
  });

  test.each<[string, Record<string, Partial<TopicDescription> | undefined>, RegExp]>([
    [
      'a changelog made by the broker',
      { [changelog]: {} },
      /retention\.ms of shop\.visits\.changelog is 604800000, .*segment/,
    ],
    [
      'a changelog that is cut by size',
      { [changelog]: { ...good[changelog], retentionBytes: 1 } },
      /forgotten by size/,
    ],
    [
      'a changelog that is compacted',
      { [changelog]: { ...good[changelog], cleanupPolicy: ['compact'] } },
      /cleanup\.policy/,
    ],
    [
      'an input that is compacted',
      { [input]: { ...good[input], cleanupPolicy: ['compact'] } },
      /would remove heartbeats/,
    ],
    [
      'an output with other partitions',
      { [output]: { partitions: 3 } },
      /visits has 3 partitions, its input visit-events 4/,
    ],
    [
      'what is not there',
      { [output]: undefined, [deadLetters]: undefined },
      /visits does not exist.*dead-letters does not/,
    ],
  ])('[K7][O5] %s: it does not begin, and says what to do', (_, changes, said) => {
    expect(checking(changes)).toThrow(said);
    expect(checking(changes)).toThrow(/flatline topics check names each remedy/);
  });
});
