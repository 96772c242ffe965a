import { describe, expect, test } from '@jest/globals';
import { type ExistingTopic, type Findings, planTopics, type TopicPlan } from './topic-plan.ts';
import type { TopicDescription } from '@flatline/kafka';
import type { ApplicationState } from './application-state.ts';
import { existingTopic } from './pipeline-topics.ts';
import { whyNot } from './topic-change.ts';
import { readersWarnings } from './topic-readers.ts';
import type { PipelineTopics, TimestampType } from './topic-requirements.ts';

const visits: PipelineTopics = {
  pipeline: 'visits',
  group: 'shop.visits',
  input: 'visit-events',
  timestampType: 'LogAppendTime',
  output: 'visits',
  changelog: 'shop.visits.changelog',
  deadLetters: 'shop.visits.dead-letters',
  largest: { changelogBytes: 310_000, outputBytes: 70_000, settings: 'maxKeyBytes 512' },
};
const none = new Map<string, ExistingTopic>();
const partitions = { asked: undefined, fallback: 8 };

function plan(
  pipelines: readonly PipelineTopics[],
  existing: ReadonlyMap<string, ExistingTopic>,
  more: Partial<Findings> = {},
): TopicPlan {
  const unseen = { states: new Map(), readers: new Map(), foreignOutputs: new Set<string>() };
  return planTopics(pipelines, { existing, partitions, ...unseen, flags: ' --config shop.json', ...more });
}

/** The topics as a broker shows them after they were created by plan: what was not set has Kafka's default. */
function created(topics: PipelineTopics = visits, asked?: number): Map<string, ExistingTopic> {
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

function altered(topic: string, name: string, value: string): Map<string, ExistingTopic> {
  const topics = created();
  const found = topics.get(topic)!;
  return topics.set(topic, { ...found, settings: new Map([...found.settings, [name, value]]) });
}

test('limits of stamps are shown as Kafka writes them, which doubles do not hold', () => {
  const found = { cleanupPolicy: ['delete'], timestampBeforeMaxMs: 2 ** 63, timestampAfterMaxMs: 3_600_000 };
  const { settings } = existingTopic(found as unknown as TopicDescription);
  expect(settings.get('message.timestamp.before.max.ms')).toBe('9223372036854775807');
  expect(settings.get('message.timestamp.after.max.ms')).toBe('3600000');
});

describe('the topics of a configuration', () => {
  test('[K7] are all created at first, the changelog without retention', () => {
    const { missing, deviations } = plan([visits], none);
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
    expect(plan([visits], created())).toEqual({ missing: [], deviations: [], risks: [], changes: [] });
    expect(plan([visits], created(visits, 3), { partitions: { asked: 3, fallback: 8 } })).toEqual({
      missing: [],
      deviations: [],
      risks: [],
      changes: [],
    });
  });

  test('[O5] follow the partition count of an input that is there', () => {
    const input = { topic: 'visit-events', partitions: 5, settings: created().get('visit-events')!.settings };
    const { missing } = plan([visits], new Map([['visit-events', input]]));
    expect(missing.map((topic) => topic.partitions)).toEqual([5, 5, 5]);
  });

  test('[O5] another partition count is a deviation, on any of them and by flag', () => {
    const topics = created();
    topics.set('visits', { ...topics.get('visits')!, partitions: 3 });
    const { deviations } = plan([visits], topics, { partitions: { asked: 2, fallback: 8 } });
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
    const { deviations } = plan([visits], altered(topic, name, value));
    expect(deviations).toHaveLength(1);
    expect(deviations[0]).toMatchObject({ topic, problem: expect.stringContaining(`${name} is ${value}`) });
    expect(deviations[0]!.remedy).toMatch(/(^|: )flatline topics alter --apply --config shop.json$/);
  });

  test('every deviation is told at once', () => {
    const topics = altered('shop.visits.changelog', 'retention.ms', '1');
    topics.set('visits', { topic: 'visits', partitions: 1, settings: new Map() });
    expect(plan([visits], topics).deviations.length).toBe(4);
  });

  test('dead letters hold what the input holds, and the reason', () => {
    const input = { topic: 'visit-events', partitions: 1, settings: new Map([['max.message.bytes', '5000000']]) };
    const { missing } = plan([visits], new Map([['visit-events', input]]));
    const deadLetters = missing.find(({ role }) => role === 'deadLetters')!;
    expect(Number(deadLetters.settings.get('max.message.bytes'))).toBeGreaterThan(5_000_000);
  });

  test('[I4] changelog and output hold the longest session that the limits allow, and the settings are named', () => {
    const largest = {
      changelogBytes: 1_400_000,
      outputBytes: 1_200_000,
      settings: 'maxKeyBytes 65535, dedupeEventIds 1024',
    };
    const long = { ...visits, largest };
    const sizes = plan([long], none).missing.map(({ role, settings }) => [role, settings.get('max.message.bytes')]);
    expect(Object.fromEntries(sizes)).toMatchObject({ output: '1200000', changelog: '1400000' });
    const { deviations } = plan([long], created());
    expect(deviations.map(({ topic, problem }) => `${topic} ${problem}`)).toEqual([
      expect.stringMatching(
        /^visits max\.message\.bytes is 1048588, wanted 1200000: .*maxKeyBytes 65535, dedupeEventIds 1024/,
      ),
      expect.stringMatching(
        /^shop\.visits\.changelog max\.message\.bytes is 1048588, wanted 1400000: .*or lower these/,
      ),
    ]);
  });

  test('[I1] dead letters hold a whole batch of them, however short the records of the input are', () => {
    const settings = new Map([
      ['max.message.bytes', '100000'],
      ['cleanup.policy', 'delete'],
      ['message.timestamp.type', 'LogAppendTime'],
    ]);
    const topics = created().set('visit-events', { topic: 'visit-events', partitions: 8, settings });
    const letters = topics.get('shop.visits.dead-letters')!;
    const short = new Map([...letters.settings, ['max.message.bytes', '200000']]);
    topics.set('shop.visits.dead-letters', { ...letters, settings: short });
    expect(plan([visits], topics).deviations).toMatchObject([
      {
        topic: 'shop.visits.dead-letters',
        problem: expect.stringContaining('max.message.bytes is 200000, wanted 1048588'),
      },
    ]);
  });

  test('an input with times of its own keeps old records; one that would not is a risk, with a remedy', () => {
    const topics: PipelineTopics = { ...visits, timestampType: 'CreateTime' };
    const [input] = plan([topics], none).missing;
    expect(input!.settings.get('retention.ms')).toBe('-1');
    expect(input!.settings.get('retention.bytes')).toBe('-1');
    const existing = created(topics);
    const found = existing.get('visit-events')!;
    existing.set('visit-events', { ...found, settings: new Map([...found.settings, ['retention.ms', '604800000']]) });
    const { deviations, risks, changes } = plan([topics], existing);
    expect(deviations).toEqual([]);
    expect(risks).toMatchObject([
      { topic: 'visit-events', problem: expect.stringContaining('retention.ms is 604800000') },
    ]);
    expect(changes).toEqual([{ kind: 'settings', topic: 'visit-events', settings: new Map([['retention.ms', '-1']]) }]);
  });

  test.each([
    ['3600000', 1],
    ['86400000', 0],
    ['-1', 0],
  ])('an input that keeps what comes for %s ms is %i risks', (retention, risks) => {
    expect(plan([visits], altered('visit-events', 'retention.ms', retention)).risks).toHaveLength(risks);
  });

  test('[O3] an output with records of others is a risk, until the pipeline has a state of its own', () => {
    const foreignOutputs = new Set(['visits']);
    const { deviations, risks } = plan([visits], created(), { foreignOutputs });
    expect(deviations).toEqual([]);
    expect(risks).toMatchObject([
      { topic: 'visits', problem: expect.stringContaining('shop.visits.changelog has never held any') },
    ]);
    expect(plan([visits], created(), { foreignOutputs, ...withState(held) }).risks).toEqual([]);
    expect(plan([{ ...visits, output: 'own' }], created(), { foreignOutputs }).risks).toEqual([]);
  });

  test('two pipelines that share an input need it once', () => {
    const other = { ...visits, output: 'leases', changelog: 'c2', deadLetters: 'd2' };
    expect(plan([visits, other], none).missing.map(({ topic }) => topic)).toEqual([
      'visit-events',
      'visits',
      'shop.visits.changelog',
      'shop.visits.dead-letters',
      'leases',
      'c2',
      'd2',
    ]);
  });
});

const held: ApplicationState = {
  kind: 'held',
  partitions: 8,
  liveEntries: 6,
  clock: Date.UTC(2026, 0, 2),
  timestampTypes: { before: ['LogAppendTime'], next: [] },
};
const withState = (state: ApplicationState): Partial<Findings> => ({ states: new Map([[visits.changelog, state]]) });

function resized(sizes: Readonly<Record<string, number>>): Map<string, ExistingTopic> {
  const topics = created();
  for (const [topic, count] of Object.entries(sizes)) topics.set(topic, { ...topics.get(topic)!, partitions: count });
  return topics;
}

describe('a remedy loses nothing', () => {
  test('[R3] an input that has grown under a state: one answer, with what is held, and no change', () => {
    for (const sizes of [
      { 'visit-events': 9 },
      { 'visit-events': 9, visits: 9, 'shop.visits.changelog': 9, 'shop.visits.dead-letters': 9 },
    ]) {
      const { deviations, changes, missing } = plan([visits], resized(sizes), withState(held));
      expect({ changes, missing }).toEqual({ changes: [], missing: [] });
      expect(deviations).toHaveLength(1);
      const [{ topic, problem, remedy }] = deviations as [TopicPlan['deviations'][0]];
      expect(topic).toBe('visit-events');
      expect(problem).toContain(
        'shop.visits.changelog holds 6 live sessions, clock 2026-01-02T00:00:00.000Z, begun with 8',
      );
      expect(remedy).toContain('use another application name and another output.topic');
      expect(remedy).toContain('sessions live now are cut, and counted afresh');
    }
  });

  test('[R3] an input that is gone is not created again under its state', () => {
    const topics = created();
    topics.delete('visit-events');
    const { deviations, missing } = plan([visits], topics, withState(held));
    expect(missing).toEqual([]);
    expect(deviations).toMatchObject([{ topic: 'visit-events', problem: expect.stringContaining('6 live sessions') }]);
    expect(plan([visits], topics, withState({ kind: 'none' })).missing).toMatchObject([{ topic: 'visit-events' }]);
  });

  test('[R3] a changelog that is gone or empty while the group has offsets is restored, never created', () => {
    const lost: ApplicationState = { kind: 'lost', group: 'shop.visits', partitions: [0, 3] };
    const gone = created();
    gone.delete(visits.changelog);
    for (const [topics, problem] of [
      [gone, 'does not exist, and group shop.visits has committed offsets of partitions 0, 3'],
      [created(), 'is empty or partly so, and group shop.visits has committed offsets of partitions 0, 3'],
      [resized({ [visits.changelog]: 3 }), 'is empty or partly so, and group'],
    ] as const) {
      const { deviations, missing, changes } = plan([visits], topics, withState(lost));
      expect({ missing, changes }).toEqual({ missing: [], changes: [] });
      expect(deviations[0]).toMatchObject({ topic: visits.changelog, problem: expect.stringContaining(problem) });
      expect(deviations[0]!.remedy).toMatch(
        /^restore it from a replica or a backup; or use another application name and another output.topic/,
      );
    }
  });

  test('[R3] an input that was made again under its state is a deviation', () => {
    const otherLog = 'partition 1: the last commit stands at offset 9, but it ends at 0';
    const { deviations, changes } = plan([visits], created(), withState({ ...held, otherLog }));
    expect(changes).toEqual([]);
    expect(deviations).toMatchObject([{ topic: 'visit-events', problem: expect.stringContaining(otherLog) }]);
    expect(deviations[0]!.remedy).toMatch(
      /^restore the topic; or use another application name and another output.topic/,
    );
  });

  test('a changelog that cannot be read is told, and not created where it cannot be known that none was', () => {
    const unknown = withState({ kind: 'unknown', why: 'no right to read it' });
    const gone = created();
    gone.delete(visits.changelog);
    for (const topics of [created(), gone]) {
      const { deviations, missing } = plan([visits], topics, unknown);
      expect(missing).toEqual([]);
      expect(deviations).toMatchObject([
        { topic: visits.changelog, problem: expect.stringContaining('no right to read it') },
      ]);
      expect(deviations[0]!.remedy).toContain('allow this user READ on it and on group shop.visits');
    }
  });

  test('[O5] while the input is missing, no partition counts are compared and none grow', () => {
    const topics = resized({ visits: 2, 'shop.visits.changelog': 2, 'shop.visits.dead-letters': 2 });
    topics.delete('visit-events');
    for (const state of [held, { kind: 'none' }, { kind: 'unknown', why: '?' }] as const) {
      const { deviations, changes } = plan([visits], topics, withState(state));
      expect(changes).toEqual([]);
      expect(deviations.map(({ problem }) => problem).filter((problem) => /has 2 partitions/.test(problem))).toEqual(
        [],
      );
    }
    // Created again where nothing is held, it gets as many as they have.
    expect(plan([visits], topics).missing).toMatchObject([{ topic: 'visit-events', partitions: 2 }]);
  });

  test('[O5] partitions are added where no state is in them; where there are too many, another name is', () => {
    const fewer = resized({ visits: 3, 'shop.visits.changelog': 3, 'shop.visits.dead-letters': 3 });
    expect(plan([visits], fewer, withState({ kind: 'none' })).changes).toHaveLength(3);
    const more = resized({ visits: 9, 'shop.visits.changelog': 9, 'shop.visits.dead-letters': 9 });
    for (const state of [held, { kind: 'none' }] as const) {
      const { deviations, changes } = plan([visits], more, withState(state));
      expect(changes).toEqual([]);
      expect(deviations.map(({ remedy }) => remedy.split(';')[0])).toEqual([
        'use another output.topic',
        `use another application name${state.kind === 'held' ? ' and another output.topic' : ''}`,
        'use another deadLetterTopic',
      ]);
    }
    // What cannot be read may be a state.
    const unknown = withState({ kind: 'unknown', why: 'not authorized' });
    expect(plan([visits], resized({ 'shop.visits.changelog': 3 }), unknown).changes).toEqual([]);
  });

  test('[C6] a timestamp type that was changed in the configuration is changed back there, not on the topic', () => {
    const topics: PipelineTopics = { ...visits, timestampType: 'CreateTime' };
    const { deviations, changes } = plan([topics], created(), withState(held));
    expect(deviations[0]!.remedy).toContain('set input.timestampType to "LogAppendTime", as it was');
    const named = changes.flatMap((change) => (change.kind === 'settings' ? [...change.settings.keys()] : []));
    expect(named).not.toContain('message.timestamp.type');
  });

  const typed = (before: readonly TimestampType[], next: readonly TimestampType[]): Partial<Findings> =>
    withState({ ...held, timestampTypes: { before, next } });
  const byProducers: PipelineTopics = { ...visits, timestampType: 'CreateTime' };

  test('[C6] altered there and back: records of the configured type that come next are read, up to the change', () => {
    const { deviations, risks, changes } = plan([byProducers], created(), typed(['LogAppendTime'], ['CreateTime']));
    expect(deviations).toEqual([]);
    expect(changes.flatMap((change) => (change.kind === 'settings' ? [...change.settings.keys()] : []))).not.toContain(
      'message.timestamp.type',
    );
    expect(risks[0]).toMatchObject({
      problem: 'message.timestamp.type is LogAppendTime, but input.timestampType says CreateTime',
      remedy: expect.stringContaining('once all have, set input.timestampType to "LogAppendTime"'),
    });
  });

  test.each([
    [['CreateTime'], ['LogAppendTime'], 'as the next records are'],
    [['LogAppendTime', 'CreateTime'], [], 'as it was'],
  ] as const)('[C6] after %j, before %j, the configuration follows the topic', (before, next, as) => {
    const { deviations, changes } = plan([byProducers], created(), typed(before, next));
    expect(deviations[0]!.remedy).toContain(`set input.timestampType to "LogAppendTime", ${as}`);
    expect(changes.some((change) => 'settings' in change && change.settings.has('message.timestamp.type'))).toBe(false);
  });

  test('[C6] before the topic is altered, the configuration is, and what may happen to others is said', () => {
    const { deviations } = plan([visits], altered('visit-events', 'message.timestamp.type', 'CreateTime'));
    expect(deviations[0]!.remedy).toBe(
      'set input.timestampType to "CreateTime"; or, if no other application reads the topic, since one that expects ' +
        'CreateTime may stop or go wrong at the change: flatline topics alter --apply --config shop.json',
    );
  });

  test('[C6] other groups that read the topic are named with the remedy, and once more before it is altered', () => {
    const readers = new Map([['visit-events', ['audit', 'billing']]]);
    const topics = altered('visit-events', 'message.timestamp.type', 'CreateTime');
    const { deviations, changes } = plan([visits], topics, { readers });
    expect(deviations[0]!.remedy).toContain(
      'if no other application reads the topic (groups audit, billing have committed offsets of it), since',
    );
    expect(readersWarnings(changes, readers)).toEqual([
      'visit-events: groups audit, billing have committed offsets of it, and records from the change on are of type ' +
        'LogAppendTime for every reader',
    ]);
    // What else is altered does not concern them.
    const kept = plan([visits], altered('visit-events', 'cleanup.policy', 'compact')).changes;
    expect(readersWarnings(kept, readers)).toEqual([]);
    const many = new Map([['visit-events', ['a', 'b', 'c', 'd', 'e', 'f', 'g']]]);
    expect(readersWarnings(changes, many)).toEqual([expect.stringContaining('groups a, b, c, d, e and 2 more have')]);
  });

  test('compaction is switched off together with the retention that would come to bear then', () => {
    const { changes } = plan([visits], altered('visits', 'cleanup.policy', 'compact'));
    expect(changes).toMatchObject([
      {
        settings: new Map(
          Object.entries({ 'cleanup.policy': 'delete', 'retention.ms': '-1', 'retention.bytes': '-1' }),
        ),
      },
    ]);
    const [change] = plan([visits], altered('visits', 'cleanup.policy', 'compact,delete')).changes;
    expect(change).toMatchObject({ settings: new Map([['cleanup.policy', 'delete']]) });
  });

  test.each([
    ['retention.ms', '-1', undefined],
    ['retention.ms', '604800001', undefined],
    ['retention.ms', '1000', 'less would lose records'],
    ['retention.bytes', '1000', 'less would lose records'],
    ['max.message.bytes', '2000000', undefined],
    ['max.message.bytes', '1000', 'less would lose records'],
    ['max.message.bytes', '-1', 'number of bytes'],
    ['message.timestamp.before.max.ms', '9223372036854775807', undefined],
    ['message.timestamp.before.max.ms', '-1', 'number of milliseconds'],
    ['cleanup.policy', 'compact', 'only retention.ms'],
    ['retention.ms', 'soon', 'whole number'],
  ])('--set %s=%s: %p', (name, value, why) => {
    const found = new Map(
      Object.entries({ 'retention.ms': '604800000', 'retention.bytes': '-1', 'max.message.bytes': '1048588' }),
    );
    if (why === undefined) expect(whyNot(name, value, found)).toBeUndefined();
    else expect(whyNot(name, value, found)).toContain(why);
  });
});
