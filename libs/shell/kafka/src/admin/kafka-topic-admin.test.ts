import { describe, expect, test } from '@jest/globals';
import { Fatal } from '@flatline/base';
import { openCluster } from '../connection/kafka-connection.ts';
import { closing, clusterOptions, connect, systemClock, uniqueName } from '../broker.fixture.ts';
import { KafkaTopicAdmin } from './kafka-topic-admin.ts';

const admin = new KafkaTopicAdmin({ clock: systemClock, connection: connect() });
const unique = (): string => uniqueName('admin');

describe('KafkaTopicAdmin', () => {
  test('[K7] creates a topic with its settings, tells them back, and leaves it as it is the second time', async () => {
    const topic = unique();
    const settings = {
      'cleanup.policy': 'delete',
      'message.timestamp.type': 'LogAppendTime',
      'retention.ms': '-1',
      'retention.bytes': '-1',
      'segment.bytes': '16777216',
      'message.timestamp.before.max.ms': '3600000',
      'message.timestamp.after.max.ms': '7200000',
      'max.message.bytes': '2000000',
    };
    const wanted = { topic, partitions: 3, replicationFactor: 1, settings };
    expect(await admin.createTopics([wanted])).toEqual([{ topic, outcome: 'created' }]);
    const [found] = await admin.describeTopics([topic]);
    expect(found).toEqual({
      kind: 'present',
      topic,
      topicId: expect.stringMatching(/^[0-9a-f]{32}$/),
      partitions: 3,
      // All there are: no authorizer asks who it is.
      rights: new Set(['READ', 'WRITE', 'DELETE', 'DESCRIBE', 'DESCRIBE_CONFIGS']),
      replicationFactor: 1,
      cleanupPolicy: ['delete'],
      timestampType: 'LogAppendTime',
      timestampBeforeMaxMs: 3_600_000,
      timestampAfterMaxMs: 7_200_000,
      maxMessageBytes: 2_000_000,
      segmentBytes: 16_777_216,
      minInSyncReplicas: 1,
      electsCleanly: true,
      retentionMs: -1,
      retentionBytes: -1,
    });
    expect(await admin.createTopics([{ ...wanted, partitions: 7 }])).toEqual([{ topic, outcome: 'existed' }]);
    expect((await admin.describeTopics([topic]))[0]).toEqual(found);
  });

  test('what is missing is a finding, in the order asked', async () => {
    const there = unique();
    await admin.createTopics([
      { topic: there, partitions: 1, replicationFactor: -1, settings: { 'cleanup.policy': 'compact,delete' } },
    ]);
    const [missing, found] = await admin.describeTopics([unique(), there]);
    expect(missing).toMatchObject({ kind: 'missing' });
    expect(found).toMatchObject({ kind: 'present', topic: there, cleanupPolicy: ['compact', 'delete'] });
  });

  test('[R3] a topic that may elect unclean leaders says so', async () => {
    const topic = unique();
    const settings = { 'unclean.leader.election.enable': 'true' };
    await admin.createTopics([{ topic, partitions: 1, replicationFactor: 1, settings }]);
    expect(await admin.describeTopics([topic])).toMatchObject([{ electsCleanly: false }]);
  });

  test('all topics are listed by their names', async () => {
    const topic = unique();
    await admin.createTopics([{ topic, partitions: 2, replicationFactor: -1, settings: {} }]);
    expect(await admin.topicNames()).toContain(topic);
  });

  test('what is altered is shown at once; what is not named stays; partitions are added', async () => {
    const topic = unique();
    await admin.createTopics([
      { topic, partitions: 1, replicationFactor: 1, settings: { 'retention.ms': '5000', 'cleanup.policy': 'compact' } },
    ]);
    await admin.alterSettings([
      { topic, settings: { 'retention.ms': '-1', 'message.timestamp.type': 'LogAppendTime' } },
    ]);
    await admin.addPartitions([{ topic, partitions: 3 }]);
    expect(await admin.describeTopics([topic])).toMatchObject([
      { retentionMs: -1, timestampType: 'LogAppendTime', cleanupPolicy: ['compact'], partitions: 3 },
    ]);
    await expect(admin.alterSettings([{ topic, settings: { 'retention.ms': 'soon' } }])).rejects.toThrow(/soon/);
    await expect(admin.addPartitions([{ topic, partitions: 2 }])).rejects.toThrow(Fatal);
  }, 60_000);

  test('what the broker refuses is fatal, with its reason and a remedy', async () => {
    const creating = admin.createTopics([{ topic: unique(), partitions: 1, replicationFactor: 99 }]);
    await expect(creating).rejects.toThrow(Fatal);
    await expect(creating).rejects.toThrow(/INVALID_REPLICATION_FACTOR.*not above the number of brokers/);
    const misconfigured = {
      topic: unique(),
      partitions: 1,
      replicationFactor: 1,
      settings: { 'retention.ms': 'soon' },
    };
    await expect(admin.createTopics([misconfigured])).rejects.toThrow(/INVALID_CONFIG.*soon/);
  });

  test('brokers that cannot be reached are named, with what to do', async () => {
    const nowhere = closing(openCluster({ ...clusterOptions, brokers: ['127.0.0.1:1'] }));
    const asking = new KafkaTopicAdmin({ clock: systemClock, connection: nowhere, patienceMs: 100 }).describeTopics([
      'visits',
    ]);
    await expect(asking).rejects.toThrow(
      /no broker answers at 127\.0\.0\.1:1: .*ECONNREFUSED.*start Kafka there, or correct the setting brokers/,
    );
  });

  test.each([[['nonsense']], [['host:0']], [['host:99999']], [[]]])('addresses %j are refused at once', (brokers) => {
    expect(() => openCluster({ ...clusterOptions, brokers })).toThrow(Fatal);
  });
});
