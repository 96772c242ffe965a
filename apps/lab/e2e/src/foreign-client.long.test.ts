import { afterEach, expect, test } from '@jest/globals';
import { kill, killAll } from './child.fixture.ts';
import { Kcat, type KcatRecord, type Line, describeWithKcat } from './kcat.fixture.ts';
import { Scenario } from './scenario.fixture.ts';
import { verify } from './verify.fixture.ts';

const TIMEOUT_MS = 2_000;

let scenario: Scenario;

const bare = (key: string): Line => ({ key, value: '' });
const json = (key: string, event: object): Line => ({ key, value: JSON.stringify(event) });
const end = (key: string): Line => ({ key, value: null });

/** The field names of docs/FORMATS.md: more may be added, none of these removed. */
const FIELDS = [
  'sessionId',
  'incarnation',
  'revision',
  'reason',
  'startedAt',
  'lastSeenAt',
  'endedAt',
  'durationMs',
  'deadlineAt',
  'closedAt',
  'emittedAt',
  'timeoutMs',
  'eventCount',
  'duplicateCount',
  'outOfOrderCount',
  'lateCount',
  'missingCount',
  'countsByType',
  'attributes',
  'truncated',
  'partition',
  'firstOffset',
  'lastOffset',
];

/** The summary expected of records that kcat itself read back from the input, none of which has a time of its own. */
function expectedOf(records: readonly KcatRecord[], timeoutMs: number): Record<string, unknown> {
  const first = records[0]!;
  const last = records.at(-1)!;
  const ended = last.payload === null;
  return {
    sessionId: first.key,
    incarnation: `${first.partition}-${first.offset}`,
    revision: 0,
    reason: ended ? 'ENDED' : 'TIMEOUT',
    startedAt: first.ts,
    lastSeenAt: last.ts,
    endedAt: last.ts,
    durationMs: last.ts - first.ts,
    deadlineAt: last.ts + timeoutMs,
    closedAt: ended ? last.ts : last.ts + timeoutMs,
    timeoutMs,
    eventCount: records.length,
    duplicateCount: 0,
    outOfOrderCount: 0,
    lateCount: 0,
    missingCount: 0,
    attributes: {},
    truncated: false,
    partition: first.partition,
    firstOffset: first.offset,
    lastOffset: last.offset,
  };
}

const ofKey = (records: readonly KcatRecord[], key: string): KcatRecord[] =>
  records.filter((record) => record.key === key);

describeWithKcat('a client that is not ours: kcat', () => {
  afterEach(async () => {
    await killAll();
    await scenario.dispose();
  });

  test('[S1][S2][S5][S6][O2][I2] bare heartbeats, JSON events and null ends in; summaries field by field and tombstones out', async () => {
    // On a busy machine some of the silence is held time (C8), and the summary would not follow from the records alone.
    scenario = await Scenario.create({ timeoutMs: TIMEOUT_MS, pipeline: { unheardMs: 0 } });
    const kcat = new Kcat(scenario.kafka.brokers);
    const processor = scenario.start();
    const strange = 'gerät "7" <b>';
    const lines: Line[] = [
      bare('bare'),
      bare('bare'),
      bare('bare'),
      bare(strange),
      json(strange, { type: 'VIEW' }),
      end(strange),
      json('events', { type: 'STARTED', sequence: 0, attributes: { page: '/', __proto: 'x' } }),
      json('events', { type: 'VIEW', sequence: 1, eventId: 'a' }),
      json('events', { type: 'VIEW', sequence: 1, eventId: 'a' }),
      json('events', { type: 'VIEW', sequence: 4, attributes: { page: '/end' } }),
      json('own-timeout', { timeoutMs: 1_000 }),
    ];
    await kcat.produce(scenario.input, lines, '-H', 'trace=42');
    const output = await kcat.first(scenario.output, 8, 'read_committed');
    expect(await scenario.stop(processor)).toBe(0);
    expect(await kcat.all(scenario.output)).toEqual(output);

    const input = (await kcat.all(scenario.input)).filter(({ key }) => key !== null);
    expect(input).toHaveLength(lines.length);
    const summaryOf = (key: string): Record<string, unknown> => {
      const [summary, tombstone, ...more] = ofKey(output, key);
      expect(more).toEqual([]);
      const value = JSON.parse(summary!.payload!) as Record<string, unknown>;
      expect(Object.keys(value)).toEqual(expect.arrayContaining(FIELDS));
      const headers = ['flatline-incarnation', value['incarnation']];
      expect(summary).toMatchObject({ headers, partition: ofKey(input, key)[0]!.partition });
      expect(tombstone).toMatchObject({ payload: null, headers, offset: summary!.offset + 1 });
      expect(value['emittedAt']).toBeGreaterThanOrEqual(Number(value['lastSeenAt']));
      return value;
    };
    expect(summaryOf('bare')).toMatchObject({
      ...expectedOf(ofKey(input, 'bare'), TIMEOUT_MS),
      countsByType: { HEARTBEAT: 3 },
    });
    expect(summaryOf(strange)).toMatchObject({
      ...expectedOf(ofKey(input, strange), TIMEOUT_MS),
      countsByType: { HEARTBEAT: 1, VIEW: 1, ENDED: 1 },
    });
    expect(summaryOf('own-timeout')).toMatchObject(expectedOf(ofKey(input, 'own-timeout'), 1_000));
    expect(summaryOf('events')).toMatchObject({
      ...expectedOf(ofKey(input, 'events'), TIMEOUT_MS),
      eventCount: 3,
      duplicateCount: 1,
      missingCount: 2,
      countsByType: { STARTED: 1, VIEW: 2 },
      attributes: { page: '/end', __proto: 'x' },
    });
  });

  test.each(['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const)(
    '[O2] summaries packed with %s are read as they are, without tombstones where they are turned off',
    async (compression) => {
      scenario = await Scenario.create({ timeoutMs: TIMEOUT_MS, partitions: 1 });
      scenario.configure({ output: { topic: scenario.output, compression, tombstones: false } });
      const kcat = new Kcat(scenario.kafka.brokers);
      const processor = scenario.start();
      const keys = Array.from({ length: 40 }, (_, i) => `key-${i}`);
      await kcat.produce(scenario.input, keys.map(bare));
      const output = await kcat.first(scenario.output, keys.length, 'read_committed');
      expect(await scenario.stop(processor)).toBe(0);
      expect(await kcat.all(scenario.output)).toEqual(output);
      expect(output.map(({ key }) => key).sort()).toEqual(keys.sort());
      for (const { key, payload, headers } of output) {
        const summary = JSON.parse(payload!) as Record<string, unknown>;
        expect(summary).toMatchObject({ sessionId: key, reason: 'TIMEOUT', eventCount: 1 });
        expect(headers).toEqual(['flatline-incarnation', summary['incarnation']]);
      }
      expect((await verify(scenario)).violations).toEqual([]);
    },
  );

  test('[O1] what a foreign producer wrote in a transaction that was aborted is nothing', async () => {
    scenario = await Scenario.create({ timeoutMs: TIMEOUT_MS, partitions: 1 });
    const kcat = new Kcat(scenario.kafka.brokers);
    const processor = scenario.start();
    await kcat.produce(scenario.input, [bare('real')]);
    const ghosts = Array.from({ length: 1_000 }, (_, i) => bare(`ghost-${i}`));
    const dying = kcat.produceOpen(scenario.input, scenario.application, [bare('real'), ...ghosts]);
    // It is in the log, and undecided.
    await kcat.first(scenario.input, 3, 'read_uncommitted');
    await kill(dying.child);
    // The next producer of that transactional id aborts it and commits one of its own.
    await kcat.produce(scenario.input, [bare('real')], '-X', `transactional.id=${scenario.application}`);
    const output = await kcat.first(scenario.output, 2, 'read_committed');
    expect(await scenario.stop(processor)).toBe(0);
    expect(await kcat.all(scenario.output)).toEqual(output);
    expect(output.map(({ key }) => key)).toEqual(['real', 'real']);
    expect(JSON.parse(output[0]!.payload!)).toMatchObject({ reason: 'TIMEOUT', eventCount: 2 });
  });
});
