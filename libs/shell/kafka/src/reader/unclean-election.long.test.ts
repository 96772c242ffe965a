// Three brokers of its own: a replica that lacks acknowledged records is made leader, and is written to.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PartitionStopped } from '@flatline/base';
import { type BrokerNode, type RunningBroker, startBroker } from '@flatline/dev-broker';
import { KafkaTopicAdmin } from '../admin/kafka-topic-admin.ts';
import { administer } from '../admin/patience.ts';
import { clusterOptions, systemClock } from '../broker.fixture.ts';
import { type KafkaConnection, openCluster } from '../connection/kafka-connection.ts';
import { BatchProducer } from '../writer/batch-producer.ts';
import { KafkaLogReader } from './kafka-log-reader.ts';
import { failureOf, type Reading, readUntil } from './reading.fixture.ts';

const TOPIC = 'unclean';
const place = { topic: TOPIC, partition: 0 };
/** Written before and after one of two replicas has stopped, and after that one was made leader. */
const [KEPT, LOST, LATER] = [100, 100, 300];
const QUICK_FAILOVER = { 'broker.session.timeout.ms': 2_000, 'broker.heartbeat.interval.ms': 200 };

let broker: RunningBroker;
let connection: KafkaConnection;
let reader: KafkaLogReader;

beforeAll(async () => {
  broker = await startBroker({ nodes: 3, ephemeral: true, shortLived: true, heapMb: 320, properties: QUICK_FAILOVER });
  const options = { ...clusterOptions, brokers: broker.bootstrap.split(',') };
  connection = openCluster(options);
  reader = new KafkaLogReader(options, { fetchTimeoutMs: 1_500 });
  const settings = { 'min.insync.replicas': '1', 'unclean.leader.election.enable': 'true' };
  const admin = new KafkaTopicAdmin({ clock: systemClock, connection });
  await admin.createTopics([{ topic: TOPIC, partitions: 1, replicationFactor: 2, settings }]);
}, 120_000);

afterAll(async () => {
  await reader.close();
  connection.close();
  await broker.stop();
}, 60_000);

/** As a new producer does, which asks first who leads. Acknowledged by every replica in sync. */
async function write(count: number): Promise<void> {
  await administer({ clock: systemClock }, async () => {
    connection.forgetLeaders(TOPIC);
    const producer = await BatchProducer.open({ clock: systemClock, connection, topic: TOPIC });
    for (let index = 0; index < count; index += 1)
      await producer.add({ partition: 0, key: Buffer.from(String(index)), value: null });
    await producer.flush();
  });
}

async function replicas(): Promise<{ readonly leader: BrokerNode; readonly follower: BrokerNode }> {
  const { topics } = await connection.refresh([TOPIC]);
  const { leader, replicas: all } = topics[0]!.partitions[0]!;
  const node = (id: number): BrokerNode => broker.nodes.find((each) => each.id === id)!;
  return { leader: node(leader), follower: node(all.find((id) => id !== leader)!) };
}

const upTo = (end: number) => (reading: Reading) => reading.position >= end;

describe('an unclean election', () => {
  test('[R3][X3][F8] that lost records already read stops the subscription, never goes on behind them', async () => {
    await write(KEPT);
    const { leader, follower } = await replicas();
    let epoch = -1;
    const subscription = reader.subscribe(place, 0);
    await readUntil(subscription, upTo(KEPT), (cursor) => {
      epoch = cursor.batchLeaderEpoch;
    });
    await follower.stop();
    await write(LOST);
    await readUntil(subscription, upTo(KEPT + LOST), (cursor) => {
      epoch = cursor.batchLeaderEpoch;
    });
    await leader.kill9();
    await follower.start();
    await write(LATER);

    await expect(readUntil(subscription, upTo(KEPT + LATER))).rejects.toThrow(
      /^unclean-0: .*offset 200, .*leader epoch \d+ ends at 100.*were lost/,
    );
    expect(subscription.failure).toBeInstanceOf(PartitionStopped);

    // A reader that begins behind what was lost, and says what came before, learns it, too; one that begins below reads on.
    const beyond = reader.subscribe(place, KEPT + LOST, epoch);
    expect(await failureOf(beyond)).toBeInstanceOf(PartitionStopped);
    const below = reader.subscribe(place, KEPT, epoch);
    const { records } = await readUntil(below, upTo(KEPT + LATER));
    expect(records).toHaveLength(LATER);
    await leader.start();
  }, 180_000);
});
