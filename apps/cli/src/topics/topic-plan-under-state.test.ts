// Plans for topics of an application that holds state in them.
import { describe, expect, test } from '@jest/globals';
import type { ApplicationState } from './application-state.ts';
import type { ExistingTopic } from './existing-topic.ts';
import { whyNot } from './topic-change.ts';
import { altered, created, held, plan, visits, withState } from './topic-plan.fixture.ts';
import type { Findings, TopicPlan } from './topic-plan.ts';
import { readersWarnings } from './topic-readers.ts';
import type { PipelineTopics, TimestampType } from '@flatline/processor';

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
        'shop.visits.changelog holds 6 live keys, clock 2026-01-02T00:00:00.000Z, begun with 8',
      );
      expect(remedy).toContain('use another application name and another output.topic');
      expect(remedy).toContain('sessions live now are cut, and counted afresh');
    }
  });

  test('[R3] an input that has grown where nothing lives: it goes on under its name, behind what was read', () => {
    const grown = resized({ 'visit-events': 9 });
    const remedyOf = (changes: Partial<typeof held>, topics = visits): string =>
      plan([topics], grown, withState({ ...held, ...changes })).deviations[0]!.remedy;
    expect(remedyOf({ liveEntries: 0 })).toBe(
      'nothing lives: stop every processor, flatline reset, then flatline topics alter --apply, and set startFrom to ' +
        '{ "timestamp": "2026-01-02T00:00:00.001Z" }, just behind what was read; for leases raise tokenEpoch, too; or restore the topic',
    );
    expect(remedyOf({ liveEntries: 0, clock: 0 })).toBe(
      'nothing lives: stop every processor, flatline reset, then flatline topics alter --apply; for leases raise tokenEpoch, too; or restore the topic',
    );
    const unread = { before: ['LogAppendTime'], next: ['LogAppendTime'] } as const;
    expect(remedyOf({ liveEntries: 0, timestampTypes: unread })).toContain('let the processors read what is there');
    // Producers' stamps do not say what was read.
    const stamped = { ...visits, timestampType: 'CreateTime' } as const;
    expect(remedyOf({ liveEntries: 0 }, stamped)).toContain('use another application name');
    expect(remedyOf({ liveEntries: 1 })).toContain('use another application name');
  });

  test('[R3] an input that is gone is not created again under its state', () => {
    const topics = created();
    topics.delete('visit-events');
    const { deviations, missing } = plan([visits], topics, withState(held));
    expect(missing).toEqual([]);
    expect(deviations).toMatchObject([{ topic: 'visit-events', problem: expect.stringContaining('6 live keys') }]);
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
    // An unreadable changelog may hold a state.
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

  test('[C6] the stronger clock comes first: brokers stamp, unless others would go wrong by it, which is said', () => {
    const { deviations } = plan([visits], altered('visit-events', 'message.timestamp.type', 'CreateTime'));
    expect(deviations[0]!.remedy).toBe(
      'if no other application reads the topic, since one that expects CreateTime may stop or go wrong at the change: ' +
        'flatline topics alter --apply --config shop.json; or set input.timestampType to "CreateTime": time is then what ' +
        'the producers say it is',
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
    // Other changes do not concern them.
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
