import { describe, expect, test } from '@jest/globals';
import { Fatal } from '@flatline/base';
import type { Assignment, LocalCheckpoint } from '@flatline/ports';
import { KafkaLogAdmin } from '../admin/kafka-log-admin.ts';
import { clusterOptions, closing, connect, createTopic, systemClock, uniqueName } from '../broker.fixture.ts';
import { ApiKey, type KafkaConnection, openCluster, ProtocolWriter } from '../connection/index.ts';
import { KafkaTransactionalWriters } from '../writer/transactional-writers.ts';
import { KafkaMembership, type KafkaMembershipOptions } from './membership.ts';

const shared = connect();
const admin = new KafkaLogAdmin({ clock: systemClock, connection: shared });

type Heard =
  | { readonly kind: 'assigned'; readonly assignment: Assignment }
  | { readonly kind: 'lost'; readonly reason: string }
  | { readonly kind: 'failed'; readonly error: Error };

/** One instance, and all its membership has told it. */
class Instance {
  readonly connection: KafkaConnection;
  readonly membership: KafkaMembership;
  readonly heard: Heard[] = [];
  positions: readonly LocalCheckpoint[] = [];
  #listener: (() => void) | undefined;

  constructor(group: string, topics: readonly string[], options: Partial<KafkaMembershipOptions> = {}) {
    this.connection = closing(openCluster(clusterOptions));
    this.membership = new KafkaMembership({
      clock: systemClock,
      connection: this.connection,
      group,
      topics,
      localCheckpoints: () => Promise.resolve<readonly LocalCheckpoint[]>([]),
      heartbeatIntervalMs: 50,
      sessionTimeoutMs: 2_000,
      ...options,
    });
  }

  start(): Promise<void> {
    return this.membership.start({
      assigned: (assignment) => {
        this.#hear({ kind: 'assigned', assignment });
      },
      lost: (reason) => {
        this.#hear({ kind: 'lost', reason });
      },
      failed: (error) => {
        this.#hear({ kind: 'failed', error });
      },
      positions: () => this.positions,
    });
  }

  /** The newest assignment, once it satisfies `until`. */
  async assignment(until: (assignment: Assignment) => boolean = () => true): Promise<Assignment> {
    for (;;) {
      const newest = this.heard.findLast((item) => item.kind === 'assigned');
      if (newest !== undefined && until(newest.assignment)) return newest.assignment;
      await new Promise<void>((resolve) => {
        this.#listener = resolve;
      });
    }
  }

  async hears(kind: Heard['kind']): Promise<void> {
    while (!this.heard.some((item) => item.kind === kind))
      await new Promise<void>((resolve) => {
        this.#listener = resolve;
      });
  }

  #hear(item: Heard): void {
    this.heard.push(item);
    this.#listener?.();
  }
}

const holding =
  (count: number) =>
  ({ partitions }: Assignment): boolean =>
    partitions.length === count;

async function pairOn(topic: string, group: string): Promise<readonly [Instance, Instance]> {
  const pair = [new Instance(group, [topic]), new Instance(group, [topic])] as const;
  for (const instance of pair) await instance.start();
  await pair[0].assignment(({ generation }) => generation >= 2);
  return pair;
}

describe('KafkaMembership', () => {
  test('two members share the partitions; what stays is not moved', async () => {
    const [topic, group] = [await createTopic(shared, 4), uniqueName('group')];
    const first = new Instance(group, [topic]);
    await first.start();
    expect((await first.assignment()).partitions).toEqual([0, 1, 2, 3]);
    const second = new Instance(group, [topic]);
    await second.start();
    const [kept, taken] = [await first.assignment(holding(2)), await second.assignment(holding(2))];
    expect([...kept.partitions, ...taken.partitions].sort()).toEqual([0, 1, 2, 3]);
    expect(kept.generation).toBe(taken.generation);
    await Promise.all([first.membership.leave(), second.membership.leave()]);
  });

  test('[kafkajs 11] every member learns who holds what, and which standbys to keep', async () => {
    const [topic, group] = [await createTopic(shared, 2), uniqueName('group')];
    const instances = ['http://a', 'http://b'].map(
      (endpoint) => new Instance(group, [topic], { endpoint, name: endpoint.at(-1)!, standbys: 1 }),
    );
    for (const instance of instances) await instance.start();
    const told = await Promise.all(instances.map((instance) => instance.assignment(holding(1))));
    for (const { instances: everyone } of told) {
      expect(everyone!.map(({ endpoint }) => endpoint).sort()).toEqual(['http://a', 'http://b']);
      expect(everyone!.map(({ name }) => name).sort()).toEqual(['a', 'b']);
      expect(everyone!.flatMap(({ partitions }) => partitions).sort()).toEqual([0, 1]);
    }
    expect(told[0]!.standbys).toEqual(told[1]!.partitions);
    expect(told[1]!.standbys).toEqual(told[0]!.partitions);
    for (const { membership } of instances) await membership.leave();
  });

  test('a member that leaves hands over at once, and one that comes takes its share again', async () => {
    const [topic, group] = [await createTopic(shared, 4), uniqueName('group')];
    const [stayer, leaver] = await pairOn(topic, group);
    await leaver.membership.leave();
    expect((await stayer.assignment(holding(4))).partitions).toEqual([0, 1, 2, 3]);
    const third = new Instance(group, [topic]);
    await third.start();
    await stayer.assignment(holding(2));
    expect(await leaver.membership.confirm()).toBeUndefined();
    for (const { membership } of [stayer, third]) await membership.leave();
  });

  test('a member that dies loses its partitions to the others after its session', async () => {
    const [topic, group] = [await createTopic(shared, 4), uniqueName('group')];
    const [survivor, victim] = await pairOn(topic, group);
    victim.connection.close();
    expect((await survivor.assignment(holding(4))).partitions).toEqual([0, 1, 2, 3]);
    await victim.hears('lost');
    await Promise.all([survivor.membership.leave(), victim.membership.leave()]);
  });

  test('MB4: a static member that comes back has its partitions at once, and its former self ends', async () => {
    const [topic, group] = [await createTopic(shared, 4), uniqueName('group')];
    // No session ends within this test: whoever waits for one waits for longer than it may take.
    const patient = { sessionTimeoutMs: 60_000 };
    const [stayer, former] = ['a', 'b'].map((instanceId) => new Instance(group, [topic], { ...patient, instanceId }));
    for (const instance of [stayer!, former!]) await instance.start();
    const { generation } = await stayer!.assignment(holding(2));
    const { partitions, memberId } = await former!.assignment(holding(2));
    const again = new Instance(group, [topic], { ...patient, instanceId: 'b' });
    await again.start();
    expect(await again.assignment()).toMatchObject({ partitions, generation });
    expect((await again.assignment()).memberId).not.toBe(memberId);
    expect(await former!.membership.confirm()).toBeUndefined();
    await former!.hears('failed');
    expect(former!.heard.at(-1)).toMatchObject({ error: { name: 'StateInUse', message: /instance b.*--instance/ } });
    expect((await again.membership.confirm())?.partitions).toEqual(partitions);
    expect((await stayer!.membership.confirm())?.generation).toBe(generation);
    // Leaving is leaving: nothing waits for one that ended in order.
    await again.membership.leave();
    expect((await stayer!.assignment(holding(4))).partitions).toEqual([0, 1, 2, 3]);
    await stayer!.membership.leave();
  });

  test('a leader that has come back as a static member still sees new partitions', async () => {
    const [topic, group] = [await createTopic(shared, 1), uniqueName('group')];
    const options = { instanceId: 'a', partitionCheckMs: 0, sessionTimeoutMs: 60_000 };
    const killed = new Instance(group, [topic], options);
    await killed.start();
    killed.connection.close();
    const leader = new Instance(group, [topic], options);
    await leader.start();
    await createPartitions(topic, 3);
    expect((await leader.assignment(holding(3))).partitions).toEqual([0, 1, 2]);
    await leader.membership.leave();
  });

  test('a member that the group has expelled says so and rejoins by itself', async () => {
    const [topic, group] = [await createTopic(shared, 2), uniqueName('group')];
    const [expelled, other] = await pairOn(topic, group);
    const { memberId, generation } = await expelled.assignment();
    await expel(group, memberId);
    await expelled.hears('lost');
    const again = await expelled.assignment(
      (assignment) => assignment.generation > generation && holding(1)(assignment),
    );
    expect(again.memberId).not.toBe(memberId);
    for (const { membership } of [expelled, other]) await membership.leave();
  });

  test('confirm answers by a heartbeat of its own: the assignment in force, or nothing while the group rebalances', async () => {
    const [topic, group] = [await createTopic(shared, 2), uniqueName('group')];
    // Without heartbeats of its own, so that only `confirm` can learn of the rebalance.
    const first = new Instance(group, [topic], { heartbeatIntervalMs: 60_000, sessionTimeoutMs: 20_000 });
    expect(await first.membership.confirm()).toBeUndefined();
    await first.start();
    expect(await first.membership.confirm()).toEqual(await first.assignment());
    const second = new Instance(group, [topic]);
    const joining = second.start();
    while ((await first.membership.confirm()) !== undefined);
    await joining;
    const shareOfFirst = await first.assignment(holding(1));
    expect(await first.membership.confirm()).toEqual(shareOfFirst);
    for (const { membership } of [first, second]) await membership.leave();
  });

  test('[kafkajs 12] heartbeats go on while the process is busy in slices of 50 ms', async () => {
    const [topic, group] = [await createTopic(shared, 1), uniqueName('group')];
    const instance = new Instance(group, [topic], { sessionTimeoutMs: 1_000 });
    await instance.start();
    const { generation } = await instance.assignment();
    const until = systemClock.monotonicMs() + 2_500;
    while (systemClock.monotonicMs() < until) {
      const sliceEnd = systemClock.monotonicMs() + 50;
      while (systemClock.monotonicMs() < sliceEnd);
      await admin.ends({ topic, partition: 0 });
    }
    expect((await instance.membership.confirm())?.generation).toBe(generation);
    expect(instance.heard.map(({ kind }) => kind)).toEqual(['assigned']);
    await instance.membership.leave();
  });

  test('the leader sees new partitions and has them assigned', async () => {
    const [topic, group] = [await createTopic(shared, 1), uniqueName('group')];
    const leader = new Instance(group, [topic], { partitionCheckMs: 0 });
    await leader.start();
    await createPartitions(topic, 3);
    expect((await leader.assignment(holding(3))).partitions).toEqual([0, 1, 2]);
    await leader.membership.leave();
  });

  test('a restarted instance gets back the partitions it has the freshest checkpoints of', async () => {
    const [topic, group] = [await createTopic(shared, 4), uniqueName('group')];
    const checkpoints = [1, 3].map((partition) => ({ partition, changelogPosition: 500 }));
    const stayer = new Instance(group, [topic]);
    await stayer.start();
    const restarted = new Instance(group, [topic], { localCheckpoints: () => Promise.resolve(checkpoints) });
    await restarted.start();
    expect((await restarted.assignment(holding(2))).partitions).toEqual([1, 3]);
    for (const { membership } of [stayer, restarted]) await membership.leave();
  });

  test('a position in memory counts before the checkpoint of the store', async () => {
    const [topic, group] = [await createTopic(shared, 2), uniqueName('group')];
    const stored = [0, 1].map((partition) => ({ partition, changelogPosition: 500 }));
    const cold = new Instance(group, [topic], { localCheckpoints: () => Promise.resolve(stored) });
    const warm = new Instance(group, [topic], { localCheckpoints: () => Promise.resolve([]) });
    warm.positions = [{ partition: 1, changelogPosition: 501 }];
    const owner = new Instance(group, [topic]);
    await owner.start();
    await Promise.all([cold.start(), warm.start()]);
    await Promise.all([cold, warm].map((instance) => instance.assignment(({ instances }) => instances!.length === 3)));
    await owner.membership.leave();
    expect((await warm.assignment(holding(1))).partitions).toEqual([1]);
    expect((await cold.assignment(holding(1))).partitions).toEqual([0]);
    for (const { membership } of [cold, warm]) await membership.leave();
  });

  test('[O1] offsets are committed by transactions while the group has members', async () => {
    const [topic, group] = [await createTopic(shared, 1), uniqueName('group')];
    const instance = new Instance(group, [topic]);
    await instance.start();
    const writers = new KafkaTransactionalWriters({ clock: systemClock, connections: [shared] });
    const id = uniqueName('id');
    const writer = await writers.open(id);
    await writer.commit({ writes: [], offsets: [{ group, topic, partition: 0, offset: 7, metadata: '' }] });
    await writers.open(id);
    expect(await admin.committedOffset(group, { topic, partition: 0 })).toMatchObject({ offset: 7 });
    await instance.membership.leave();
  });

  test('inputs that are missing, or not co-partitioned, end the membership with what to do', async () => {
    const [one, two] = [await createTopic(shared, 1), await createTopic(shared, 2)];
    const missing = uniqueName('missing');
    const unequal = new Instance(uniqueName('group'), [one, two]);
    await expect(unequal.start()).rejects.toThrow(new RegExp(`same number of partitions: ${one} has 1, ${two} has 2`));
    await unequal.hears('failed');
    await expect(new Instance(uniqueName('group'), [missing]).start()).rejects.toThrow(Fatal);
    await expect(new Instance(uniqueName('group'), [missing]).start()).rejects.toThrow(
      new RegExp(`${missing}.*create`),
    );
  });

  test('instances that read different inputs under one group name are refused', async () => {
    const [one, two, group] = [await createTopic(shared, 1), await createTopic(shared, 1), uniqueName('group')];
    const leader = new Instance(group, [one]);
    await leader.start();
    await expect(new Instance(group, [two]).start()).rejects.toThrow(/read different inputs/);
    await leader.membership.leave();
  });

  test('a group of another assigner is refused', async () => {
    const [topic, group] = [await createTopic(shared, 1), uniqueName('group')];
    const { Kafka, logLevel } = await import('kafkajs').then((module) => module.default);
    const kafka = new Kafka({ brokers: [...clusterOptions.brokers], logLevel: logLevel.NOTHING });
    const consumer = kafka.consumer({ groupId: group });
    await consumer.connect();
    await consumer.subscribe({ topic });
    const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve));
    await consumer.run({ eachMessage: () => Promise.resolve() });
    await joined;
    await expect(new Instance(group, [topic]).start()).rejects.toThrow(/INCONSISTENT_GROUP_PROTOCOL/);
    await consumer.disconnect();
  });

  test('leaving is idempotent, and ends a start that is under way', async () => {
    const [topic, group] = [await createTopic(shared, 1), uniqueName('group')];
    const instance = new Instance(group, [topic]);
    const starting = instance.start();
    await Promise.all([instance.membership.leave(), instance.membership.leave()]);
    await starting;
    expect(await instance.membership.confirm()).toBeUndefined();
    expect(instance.heard.filter(({ kind }) => kind === 'failed')).toEqual([]);
  });
});

/** As an operator would: the coordinator forgets the member, which hears of it with its next heartbeat. */
async function expel(group: string, memberId: string): Promise<void> {
  const coordinator = await shared.coordinator('group', group);
  const body = new ProtocolWriter().string(group).int32(1).string(memberId).string(null).finish();
  await shared.send(
    coordinator,
    { apiKey: ApiKey.leaveGroup, apiVersion: 3, apiName: 'LeaveGroup', body },
    () => undefined,
  );
}

async function createPartitions(topic: string, count: number): Promise<void> {
  const controller = await shared.controller();
  const body = new ProtocolWriter().int32(1).string(topic).int32(count).int32(-1).int32(10_000).bool(false).finish();
  const request = { apiKey: 37, apiVersion: 1, apiName: 'CreatePartitions', body };
  await shared.send(controller, request, () => undefined);
}
