import { describe, expect, test } from '@jest/globals';
import type { TopicDescription } from '@flatline/kafka';
import { existingTopic } from './pipeline-topics.ts';
import { altered, created, held, none, plan, visits, withState } from './topic-plan.fixture.ts';
import type { PipelineTopics } from '@flatline/processor';

test('limits of stamps are shown as Kafka writes them, which doubles do not hold', () => {
  const found = { cleanupPolicy: ['delete'], timestampBeforeMaxMs: 2 ** 63, timestampAfterMaxMs: 3_600_000 };
  const { settings } = existingTopic(found as unknown as TopicDescription);
  expect(settings.get('message.timestamp.before.max.ms')).toBe('9223372036854775807');
  expect(settings.get('message.timestamp.after.max.ms')).toBe('3600000');
});

describe('[P3] a topic to which routes lead', () => {
  const reminding: PipelineTopics = {
    ...visits,
    pipeline: 'reminding',
    group: 'shop.reminding',
    input: 'reminders',
    output: 'reminders-due',
    changelog: 'shop.reminding.changelog',
    deadLetters: 'shop.reminding.dead-letters',
  };
  const existing = new Map([...created(), ...created(reminding)]);
  const routedTo = (topic: string, there = existing) => plan([{ ...visits, routed: [topic] }, reminding], there);

  test('is an input of the configuration, there or about to be made', () => {
    expect(routedTo('reminders').unreached).toEqual([]);
    expect(routedTo('reminders', none).unreached).toEqual([]);
  });

  test('or another one that is there', () => {
    const others = { topic: 'others', partitions: 3, settings: new Map([['max.message.bytes', '1048588']]) };
    expect(routedTo('others', new Map([...existing, ['others', others]])).unreached).toEqual([]);
    const narrow = { ...others, settings: new Map([['max.message.bytes', '1000']]) };
    expect(routedTo('others', new Map([...existing, ['others', narrow]])).unreached).toMatchObject([
      { topic: 'others', problem: expect.stringMatching(/is 1000.*routes of pipeline visits lead there/) },
    ]);
  });

  test.each([
    ['remindres', /did you mean reminders/],
    ['reminding', /pipeline reminding reads reminders/],
    ['elsewhere', /where another application reads it/],
  ])('else it is named with the route and the remedy: %s', (topic, remedy) => {
    const { missing, deviations, unreached } = routedTo(topic);
    expect([missing, deviations]).toEqual([[], []]);
    expect(unreached).toEqual([
      {
        topic,
        problem: 'does not exist, and routes of pipeline visits lead there',
        remedy: expect.stringMatching(remedy),
      },
    ]);
  });
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
    expect(plan([visits], created())).toEqual({ missing: [], deviations: [], risks: [], unreached: [], changes: [] });
    expect(plan([visits], created(visits, 3), { partitions: { asked: 3, fallback: 8 } })).toEqual({
      missing: [],
      deviations: [],
      risks: [],
      unreached: [],
      changes: [],
    });
  });

  test('[O5] follow the partition count of an input that is there', () => {
    const input = { topic: 'visit-events', partitions: 5, settings: created().get('visit-events')!.settings };
    const { missing } = plan([visits], new Map([['visit-events', input]]));
    expect(missing.map((topic) => topic.partitions)).toEqual([5, 5, 5]);
  });

  test('[D1] a target of schedules is made like the output, and has the partitions of the input', () => {
    const schedules = { ...visits, targets: ['mail'] };
    const made = created(schedules, 3);
    expect(made.get('mail')).toMatchObject({ partitions: 3 });
    made.set('mail', { ...made.get('mail')!, partitions: 4 });
    expect(plan([schedules], made).deviations).toEqual([
      expect.objectContaining({
        problem: 'has 4 partitions, its input visit-events has 3',
        remedy: 'use another topic in targets',
      }),
    ]);
  });

  test('[N3] deliveries that another application keeps under this name are its own: nothing is created', () => {
    const kept = { ...visits, pipeline: 'visits.deliveries', input: 'visits.deliveries', deliveriesOf: 'visits' };
    const found = { topic: 'visits.deliveries', application: 'hooks', ours: 'shop' };
    expect(plan([visits, kept], created(), { foreignDeliveries: [found] }).deviations).toEqual([
      {
        topic: 'visits.deliveries',
        problem: 'belongs to application hooks, and shop has a pipeline of the same name',
        remedy: 'give this pipeline another name',
      },
    ]);
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
    expect(deviations[0]!.remedy).toMatch(
      /(^|: )flatline topics alter --apply --config shop.json($|; or set input\.timestampType )/,
    );
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
