// Three brokers of its own: leaders and coordinators end, freeze and come back while transactions are committed.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type BrokerNode, type RunningBroker, startBroker } from '@flatline/dev-broker';
import { Fenced, Retriable } from '@flatline/base';
import type { TransactionalWriter } from '@flatline/ports';
import { KafkaTopicAdmin } from '../admin/kafka-topic-admin.ts';
import { clusterOptions, readCommitted, systemClock } from '../broker.fixture.ts';
import { type KafkaConnection, openCluster } from '../connection/index.ts';
import { BatchProducer } from './batch-producer.ts';
import { patiently, pause } from '@flatline/system';
import { KafkaTransactionalWriters } from './transactional-writers.ts';

const PARTITIONS = [0, 1, 2] as const;
const COMMITTED_TOPIC = 'committed';
const PRODUCED_TOPIC = 'produced';
/** The controller takes a broker for dead after this long without a heartbeat; 9 s otherwise. */
const QUICK_FAILOVER = { 'broker.session.timeout.ms': 2_000, 'broker.heartbeat.interval.ms': 200 };
const PATIENCE = { firstMs: 20, mostMs: 500, limitMs: 60_000 };

let broker: RunningBroker;
let connection: KafkaConnection;

beforeAll(async () => {
  broker = await startBroker({ nodes: 3, ephemeral: true, shortLived: true, heapMb: 320, properties: QUICK_FAILOVER });
  connection = openCluster({ ...clusterOptions, brokers: broker.bootstrap.split(',') });
  const settings = { 'min.insync.replicas': '2' };
  await new KafkaTopicAdmin({ clock: systemClock, connection }).createTopics(
    [COMMITTED_TOPIC, PRODUCED_TOPIC].map((topic) => ({ topic, partitions: 3, replicationFactor: 3, settings })),
  );
}, 120_000);

afterAll(async () => {
  connection.close();
  await broker.stop();
}, 60_000);

/** Commits numbered records to one partition, one by one, as a task does that resends what may not have been written. */
class Committing {
  readonly partition: number;
  readonly done: string[] = [];
  readonly unknown: string[] = [];
  #stopped = false;
  #failure: unknown;
  #running: Promise<void> | undefined;
  readonly #writers = new KafkaTransactionalWriters({
    clock: systemClock,
    connections: [connection],
    transactionTimeoutMs: 3_000,
  });

  constructor(partition: number) {
    this.partition = partition;
  }

  start(): void {
    this.#running = this.#run().catch((error: unknown) => {
      this.#failure = error;
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
    expect(this.#failure).toBeUndefined();
  }

  /** Error that ended it, though it should have gone on. */
  get failure(): unknown {
    return this.#failure;
  }

  async #run(): Promise<void> {
    let writer = await this.#open();
    for (let number = 0; !this.#stopped; number += 1) {
      for (let attempt = 0; ; attempt += 1) {
        const key = `${number}.${attempt}`;
        if (await this.#commit(writer, key)) break;
        writer = await this.#open();
      }
    }
  }

  #open(): Promise<TransactionalWriter> {
    const id = `id-${this.partition}`;
    return patiently(
      systemClock,
      PATIENCE,
      () => this.#writers.open(id),
      (error) => error instanceof Retriable,
    );
  }

  async #commit(writer: TransactionalWriter, key: string): Promise<boolean> {
    const records = [{ key: Buffer.from(key), value: null }];
    const offsets = [{ group: 'group', topic: COMMITTED_TOPIC, partition: this.partition, offset: 1, metadata: '' }];
    try {
      await writer.commit({ writes: [{ topic: COMMITTED_TOPIC, partition: this.partition, records }], offsets });
      this.done.push(key);
      return true;
    } catch (error) {
      // Fenced: the coordinator has timed the transaction out (kafkajs 17).
      if (!(error instanceof Retriable) && !(error instanceof Fenced)) throw error;
      this.unknown.push(key);
      return false;
    }
  }
}

async function leaderOf(partition: number): Promise<BrokerNode> {
  const { nodeId } = await patiently(
    systemClock,
    PATIENCE,
    async () => {
      await connection.refresh([COMMITTED_TOPIC]);
      return connection.leader({ topic: COMMITTED_TOPIC, partition });
    },
    (error) => error instanceof Retriable,
  );
  return broker.nodes.find(({ id }) => id === nodeId)!;
}

const keysIn = async (topic: string, partition: number): Promise<(string | null)[]> =>
  (await readCommitted(connection, topic, partition)).map(({ key }) => key);

describe('a cluster whose leaders and coordinators move', () => {
  test('[kafkajs 1] [O1] a commit said to be done is in the log once, one of unknown outcome at most once', async () => {
    const all = PARTITIONS.map((partition) => new Committing(partition));
    const producer = await patiently(
      systemClock,
      PATIENCE,
      () => BatchProducer.open({ clock: systemClock, connection, topic: PRODUCED_TOPIC }),
      (error) => error instanceof Retriable,
    );
    let produced = 0;
    /** Until everyone has got on by ten commits, whatever is down. */
    const everyoneGetsOn = async (): Promise<void> => {
      const before = all.map(({ done }) => done.length);
      while (all.some(({ done }, index) => done.length < before[index]! + 10)) {
        for (const { failure } of all) expect(failure).toBeUndefined();
        for (const partition of PARTITIONS)
          await producer.add({ key: Buffer.from(String(produced)), value: null, partition });
        produced += 1;
        await pause(systemClock, 1);
      }
    };
    for (const each of all) each.start();
    await everyoneGetsOn();
    const killed = await leaderOf(0);
    await killed.kill9();
    await everyoneGetsOn();
    await killed.start();
    await everyoneGetsOn();
    const frozen = await leaderOf(1);
    await frozen.pause();
    await everyoneGetsOn();
    await frozen.resume();
    await everyoneGetsOn();
    await Promise.all(all.map((each) => each.stop()));
    await producer.close();

    // The disturbance was felt, or the test proves nothing.
    expect(all.flatMap(({ unknown }) => unknown).length).toBeGreaterThan(0);
    for (const { partition, done, unknown } of all) {
      const keys = await keysIn(COMMITTED_TOPIC, partition);
      expect(keys.filter((key) => !unknown.includes(key!))).toEqual(done);
      expect(new Set(keys).size).toBe(keys.length);
      expect(await keysIn(PRODUCED_TOPIC, partition)).toEqual(
        Array.from({ length: produced }, (_, index) => String(index)),
      );
    }
  }, 240_000);
});
