import { describe, expect, test } from '@jest/globals';
import { type ExistingTopic, planTopics } from './topic-plan.ts';
import type { PipelineTopics } from './topic-requirements.ts';

const visits: PipelineTopics = {
  ...{ pipeline: 'visits', input: 'visit-events', timestampType: 'LogAppendTime', output: 'visits' },
  ...{ changelog: 'shop.visits.changelog', deadLetters: 'shop.visits.dead-letters' },
};
const none = new Map<string, ExistingTopic>();
const partitions = { asked: undefined, fallback: 8 };

/** The topics as a broker shows them after they were created by plan: what was not set has Kafka's default. */
function created(topics: PipelineTopics = visits, asked?: number): Map<string, ExistingTopic> {
  const { missing } = planTopics([topics], none, { ...partitions, asked: asked });
  return new Map(
    missing.map(({ topic, partitions: count, settings }) => [
      topic,
      { topic, partitions: count, settings: new Map([['max.message.bytes', '1048588'], ...settings]) },
    ]),
  );
}

function altered(topic: string, name: string, value: string): Map<string, ExistingTopic> {
  const topics = created();
  const found = topics.get(topic)!;
  return topics.set(topic, { ...found, settings: new Map([...found.settings, [name, value]]) });
}

describe('the topics of a configuration', () => {
  test('[K7] are all created at first, the changelog without retention', () => {
    const { missing, deviations } = planTopics([visits], none, partitions);
    expect(deviations).toEqual([]);
    expect(missing.map(({ topic, partitions: count }) => [topic, count])).toEqual([
      ['visit-events', 8],
      ['visits', 8],
      ['shop.visits.changelog', 8],
      ['shop.visits.dead-letters', 8],
    ]);
    expect(Object.fromEntries(missing[2]!.settings)).toEqual({
      'cleanup.policy': 'delete',
      'retention.ms': '-1',
      'retention.bytes': '-1',
      'message.timestamp.type': 'LogAppendTime',
      'segment.bytes': '67108864',
      'max.message.bytes': '1048588',
    });
  });

  test('created once, there is nothing left to do', () => {
    expect(planTopics([visits], created(), partitions)).toEqual({ missing: [], deviations: [] });
    expect(planTopics([visits], created(visits, 3), { asked: 3, fallback: 8 })).toEqual({
      missing: [],
      deviations: [],
    });
  });

  test('[O5] follow the partition count of an input that is there', () => {
    const input = { topic: 'visit-events', partitions: 5, settings: created().get('visit-events')!.settings };
    const { missing } = planTopics([visits], new Map([['visit-events', input]]), partitions);
    expect(missing.map((topic) => topic.partitions)).toEqual([5, 5, 5]);
  });

  test('[O5] another partition count is a deviation, on any of them and by flag', () => {
    const topics = created();
    topics.set('visits', { ...topics.get('visits')!, partitions: 3 });
    const { deviations } = planTopics([visits], topics, { asked: 2, fallback: 8 });
    expect(deviations.map(({ topic, problem }) => `${topic} ${problem}`)).toEqual([
      'visit-events has 8 partitions, --partitions says 2',
      'visits has 3 partitions, its input visit-events has 8',
    ]);
  });

  test.each([
    ['visit-events', 'cleanup.policy', 'compact'],
    ['visit-events', 'message.timestamp.type', 'CreateTime'],
    ['visits', 'cleanup.policy', 'compact,delete'],
    ['visits', 'max.message.bytes', '500000'],
    ['shop.visits.changelog', 'retention.ms', '604800000'],
    ['shop.visits.changelog', 'retention.bytes', '1073741824'],
    ['shop.visits.changelog', 'cleanup.policy', 'compact'],
    ['shop.visits.changelog', 'message.timestamp.type', 'CreateTime'],
    ['shop.visits.changelog', 'segment.bytes', '1073741824'],
    ['shop.visits.dead-letters', 'max.message.bytes', '1048588'],
  ])('[K7] %s with %s=%s is a deviation with a remedy', (topic, name, value) => {
    const { deviations } = planTopics([visits], altered(topic, name, value), partitions);
    expect(deviations).toHaveLength(1);
    expect(deviations[0]).toMatchObject({ topic, problem: expect.stringContaining(`${name} is ${value}`) });
    expect(deviations[0]!.remedy).toContain(`--add-config ${name}=`);
  });

  test('every deviation is told at once', () => {
    const topics = altered('shop.visits.changelog', 'retention.ms', '1');
    topics.set('visits', { topic: 'visits', partitions: 1, settings: new Map() });
    expect(planTopics([visits], topics, partitions).deviations.length).toBe(4);
  });

  test('dead letters hold what the input holds, and the reason', () => {
    const input = { topic: 'visit-events', partitions: 1, settings: new Map([['max.message.bytes', '5000000']]) };
    const { missing } = planTopics([visits], new Map([['visit-events', input]]), partitions);
    const deadLetters = missing.find(({ role }) => role === 'deadLetters')!;
    expect(Number(deadLetters.settings.get('max.message.bytes'))).toBeGreaterThan(5_000_000);
  });

  test('an input with times of its own keeps old records, and need not', () => {
    const topics: PipelineTopics = { ...visits, timestampType: 'CreateTime' };
    const [input] = planTopics([topics], none, partitions).missing;
    expect(input!.settings.get('retention.ms')).toBe('-1');
    const existing = created(topics);
    const found = existing.get('visit-events')!;
    existing.set('visit-events', { ...found, settings: new Map([...found.settings, ['retention.ms', '604800000']]) });
    expect(planTopics([topics], existing, partitions).deviations).toEqual([]);
  });

  test('two pipelines that share an input need it once', () => {
    const other = { ...visits, output: 'leases', changelog: 'c2', deadLetters: 'd2' };
    expect(planTopics([visits, other], none, partitions).missing.map(({ topic }) => topic)).toEqual([
      ...['visit-events', 'visits', 'shop.visits.changelog', 'shop.visits.dead-letters', 'leases', 'c2', 'd2'],
    ]);
  });
});
