// Three brokers of its own: leaders end, freeze and come back while partitions are read.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type BrokerNode, type RunningBroker, startBroker } from '@flatline/dev-broker';
import { Retriable } from '@flatline/base';
import type { LogSubscription } from '@flatline/ports';
import { KafkaTopicAdmin } from '../admin/kafka-topic-admin.ts';
import { administer } from '../admin/patience.ts';
import { KafkaCode } from '../connection/kafka-error-codes.ts';
import { type KafkaConnection, openCluster } from '../connection/kafka-connection.ts';
import { clusterOptions, systemClock } from '../broker.fixture.ts';
import { readUntil } from './reading.fixture.ts';
import { BatchProducer } from '../writer/batch-producer.ts';
import { decodeFetch, fetchRequest } from './fetch-exchange.ts';
import { KafkaLogReader } from './kafka-log-reader.ts';

const PARTITIONS = [0, 1, 2] as const;
const TOPIC = 'failover';
/** The controller takes a broker for dead after this long without a heartbeat; 9 s otherwise. */
const QUICK_FAILOVER = { 'broker.session.timeout.ms': 2_000, 'broker.heartbeat.interval.ms': 200 };

let broker: RunningBroker;
let connection: KafkaConnection;
let reader: KafkaLogReader;
let subscriptions: LogSubscription[];
let producer: BatchProducer;
let written = 0;

beforeAll(async () => {
  broker = await startBroker({ nodes: 3, ephemeral: true, shortLived: true, heapMb: 320, properties: QUICK_FAILOVER });
  const options = { ...clusterOptions, brokers: broker.bootstrap.split(',') };
  connection = openCluster(options);
  const admin = new KafkaTopicAdmin({ clock: systemClock, connection });
  const settings = { 'min.insync.replicas': '2' };
  await admin.createTopics([{ topic: TOPIC, partitions: PARTITIONS.length, replicationFactor: 3, settings }]);
  // Right after an election brokers have no producer ids to give yet.
  producer = await administer({ clock: systemClock }, () =>
    BatchProducer.open({ clock: systemClock, connection, topic: TOPIC }),
  );
  reader = new KafkaLogReader(options, { fetchTimeoutMs: 1_500 });
  subscriptions = PARTITIONS.map((partition) => reader.subscribe({ topic: TOPIC, partition }, 0));
}, 120_000);

afterAll(async () => {
  await reader.close();
  connection.close();
  await broker.stop();
}, 60_000);

/** Appends `count` numbered records to every partition, acknowledged by two replicas. */
async function write(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    for (const partition of PARTITIONS)
      await producer.add({ partition, key: Buffer.from(String(written + index)), value: null });
  await producer.flush();
  written += count;
}

/** Reads on to the end of what was written; every number must come once, in order. */
async function expectNext(from: number): Promise<void> {
  const numbers = Array.from({ length: written - from }, (_, index) => String(from + index));
  const readings = await Promise.all(
    subscriptions.map((each) => readUntil(each, ({ records }) => records.length >= numbers.length)),
  );
  for (const { records } of readings) expect(records.map(({ key }) => key)).toEqual(numbers);
}

async function leaderOf(partition: number): Promise<BrokerNode> {
  await connection.refresh([TOPIC]);
  const leader = await connection.leader({ topic: TOPIC, partition });
  return broker.nodes.find(({ id }) => id === leader.nodeId)!;
}

/** Resolves when the cluster has given all partitions to other nodes, so that the writes below do not wait for a dead one. */
async function leadsNothing({ id }: BrokerNode): Promise<void> {
  await administer({ clock: systemClock }, async () => {
    await connection.refresh([TOPIC]);
    for (const partition of PARTITIONS) {
      const { nodeId } = await connection.leader({ topic: TOPIC, partition });
      if (nodeId === id) throw new Retriable(`node ${id} still leads partition ${partition}`);
    }
  });
}

describe('a leader', () => {
  test('[kafkajs 7] alone answers our fetches: a follower refuses them', async () => {
    const partition = { topic: TOPIC, partition: 0 };
    const { nodeId, leaderEpoch } = await connection.leader(partition);
    const follower = broker.nodes.find(({ id }) => id !== nodeId)!;
    const request = fetchRequest([{ partition, leaderEpoch, offset: 0 }], {
      waitMs: 0,
      fetchBytes: 1_000,
      partitionFetchBytes: 1_000,
    });
    const { partitions } = await administer({ clock: systemClock }, async () => {
      const answer = await connection.send(follower.id, request, decodeFetch);
      // It may not have heard of the topic yet.
      if (answer.partitions[0]?.errorCode === KafkaCode.unknownTopicOrPartition)
        throw new Retriable(`node ${follower.id}`);
      return answer;
    });
    expect(partitions.map(({ errorCode }) => errorCode)).toEqual([KafkaCode.notLeaderOrFollower]);
  });

  test('that is killed while it is read: reading goes on with its successor, nothing twice, nothing missing', async () => {
    await write(100);
    await expectNext(0);
    const leader = await leaderOf(0);
    await leader.kill9();
    await leadsNothing(leader);
    await write(100);
    await expectNext(100);
    await leader.start();
  }, 120_000);

  test('that freezes with fetches pending: the reader gives it up and goes on', async () => {
    const before = written;
    const leader = await leaderOf(1);
    await leader.pause();
    await leadsNothing(leader);
    await write(100);
    await expectNext(before);
    await leader.resume();
    await write(1);
    await expectNext(before + 100);
  }, 120_000);

  test('[X5] no broker answers for a while: the reader says what it waits for, then goes on', async () => {
    const before = written;
    await Promise.all(broker.nodes.map((node) => node.pause()));
    while (subscriptions.some(({ obstacle }) => obstacle === undefined))
      await new Promise((resolve) => setImmediate(resolve));
    for (const { obstacle } of subscriptions) expect(obstacle!.what).toMatch(/^its leader \(/);
    await Promise.all(broker.nodes.map((node) => node.resume()));
    await write(10);
    await expectNext(before);
    for (const { obstacle } of subscriptions) expect(obstacle).toBeUndefined();
  }, 120_000);
});
