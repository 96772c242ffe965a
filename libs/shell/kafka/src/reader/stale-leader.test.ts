// A cluster that is divided: the leader does not know that it leads no more, answers, and calls itself the leader.
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { LogSubscription } from '@flatline/ports';
import { KafkaLogAdmin } from '../admin/kafka-log-admin.ts';
import { clusterOptions, closing, systemClock } from '../broker.fixture.ts';
import { ApiKey } from '../connection/kafka-request.ts';
import { type KafkaConnection, openCluster } from '../connection/kafka-connection.ts';
import type { KafkaOptions } from '../connection/kafka-options.ts';
import { type DividedNode, dividedCluster, place } from './divided-cluster.fixture.ts';
import { KafkaLogReader } from './kafka-log-reader.ts';
import type { ReaderLimits } from './reader-limits.ts';
import { changeOf, readUntil } from './reading.fixture.ts';

const NEVER_MS = 1_000_000;
const SUCCESSOR = { leader: 2, leaderEpoch: 2 };

let nodes: readonly DividedNode[];
let options: KafkaOptions;
beforeEach(async () => {
  nodes = await dividedCluster();
  options = { ...clusterOptions, brokers: nodes.map(({ port }) => `127.0.0.1:${port}`) };
  for (const { log } of nodes) log.push({ key: 'a', leaderEpoch: 1 });
});

/** All but the first node have a new leader, and what comes now goes to that. */
function divide(...keys: readonly string[]): void {
  for (const node of nodes.slice(1)) {
    node.view = SUCCESSOR;
    for (const key of keys) node.log.push({ key, leaderEpoch: SUCCESSOR.leaderEpoch });
  }
}

async function reading(limits: Partial<ReaderLimits>): Promise<LogSubscription> {
  const reader = closing(new KafkaLogReader(options, { pollMs: 20, ...limits }));
  const subscription = reader.subscribe(place, 0);
  await readUntil(subscription, ({ position }) => position === 1);
  return subscription;
}

const read = async (subscription: LogSubscription, end: number): Promise<readonly (string | null)[]> => {
  const { records } = await readUntil(subscription, ({ position }) => position === end);
  return records.map(({ key }) => key);
};

describe('[F23b] a leader that was deposed, does not know it and answers', () => {
  test('[X5] is left within metadataAgeMs, though its fetches are answered and it calls itself the leader', async () => {
    const subscription = await reading({ metadataAgeMs: 50 });
    divide('b', 'c');
    expect(await read(subscription, 3)).toEqual(['b', 'c']);
    // And it is never gone back to, though it is asked who leads now and then.
    const asked = nodes[0]!.answered.get(ApiKey.metadata)!;
    const fetched = nodes[0]!.answered.get(ApiKey.fetch)!;
    while (nodes[0]!.answered.get(ApiKey.metadata)! < asked + 3) await changeOf(subscription);
    expect(nodes[0]!.answered.get(ApiKey.fetch)! - fetched).toBeLessThanOrEqual(1);
    divide('d');
    expect(await read(subscription, 4)).toEqual(['d']);
  });

  test('[X5] is left at once by a reader that doubts it', async () => {
    const subscription = await reading({ metadataAgeMs: NEVER_MS, doubtMs: 10 });
    divide('b');
    const before = subscription.ends!;
    while (subscription.ends!.askedAtMs <= before.askedAtMs) await changeOf(subscription);
    expect(subscription.ends!.lastStableOffset).toBe(1);
    subscription.lookAgain();
    expect(await read(subscription, 2)).toEqual(['b']);
  });

  test('is left with a fetch under way that it never answers', async () => {
    const subscription = await reading({ metadataAgeMs: 50, fetchTimeoutMs: NEVER_MS });
    nodes[0]!.silent = true;
    divide('b');
    expect(await read(subscription, 2)).toEqual(['b']);
  });

  test('[R3] is not believed where it calls a position out of range that lies beyond its log', async () => {
    const reader = closing(new KafkaLogReader(options, { pollMs: 20, metadataAgeMs: NEVER_MS }));
    divide('b', 'c');
    const subscription = reader.subscribe(place, 2);
    expect(await read(subscription, 3)).toEqual(['c']);
  });

  test('[R3][F8] is left only for a log that holds what was read from it', async () => {
    const subscription = await reading({ metadataAgeMs: 50 });
    nodes[0]!.log.push({ key: 'lost', leaderEpoch: 1 });
    await read(subscription, 2);
    divide('b', 'c', 'd');
    await expect(read(subscription, 4)).rejects.toThrow(/offset 2, .*epoch 2\) leader epoch 1 ends at 1\./);
  });
});

test('[R3][F23b] an admin that doubts a deposed leader asks its successor, in metadata of another node', async () => {
  const connection = closing(openCluster(options));
  const admin = new KafkaLogAdmin({ clock: systemClock, connection });
  divide('b', 'c');
  for (let times = 0; times < 3; times += 1) expect(await admin.ends(place)).toMatchObject({ lastStableOffset: 1 });
  admin.doubtLeader(place);
  for (let times = 0; times < 3; times += 1) {
    expect(await admin.ends(place)).toMatchObject({ lastStableOffset: 3 });
    // Not even when the deposed one is asked for metadata again.
    admin.doubtLeader(place);
  }
});

describe('[F23b] a connection', () => {
  let connection: KafkaConnection;
  beforeEach(() => {
    connection = closing(openCluster(options));
  });

  test('KC3 asks two nodes in turn who leads, though it is connected to one; else always the same', async () => {
    const asked = (): (number | undefined)[] => nodes.map(({ answered }) => answered.get(ApiKey.metadata));
    for (let turn = 0; turn < 3; turn += 1) await connection.refresh([place.topic]);
    expect(asked()).toEqual([3, undefined, undefined]);
    for (let turn = 0; turn < 6; turn += 1) await connection.refresh([place.topic], { widely: true });
    expect(asked()).toEqual([6, 3, undefined]);
  });

  test('KC1 never takes a leader of an earlier epoch for one of a later, whichever node says so', async () => {
    divide();
    for (let turn = 0; turn < 4; turn += 1) {
      await connection.refresh([place.topic], { widely: true });
      if (turn > 0) expect(connection.knownLeader(place)).toMatchObject({ nodeId: 2, leaderEpoch: 2 });
      connection.forgetLeaders(place.topic);
      expect(connection.knownLeader(place)).toBeUndefined();
    }
  });

  test('asks another one after a leader was forgotten, or was named too long ago', async () => {
    expect(await connection.leader(place)).toMatchObject({ nodeId: 1 });
    divide();
    expect(await connection.leader(place)).toMatchObject({ nodeId: 1 });
    connection.forgetLeaders(place.topic);
    expect(await connection.leader(place)).toMatchObject({ nodeId: 2 });
    for (const node of nodes.slice(1)) node.view = { leader: 3, leaderEpoch: 3 };
    expect(await connection.leader(place, NEVER_MS)).toMatchObject({ nodeId: 2 });
    // The first node's word comes first, and does not count.
    expect(await connection.leader(place, -1)).toMatchObject({ nodeId: 2 });
    expect(await connection.leader(place, -1)).toMatchObject({ nodeId: 3 });
  });

  test('asks another node for a coordinator that was named and was of no use', async () => {
    expect(await connection.coordinator('transaction', 'id')).toBe(1);
    divide();
    for (let times = 0; times < 4; times += 1)
      expect(await connection.coordinator('transaction', `id ${times}`)).toBe(1);
    expect(await connection.coordinator('transaction', 'id')).toBe(2);
  });
});
