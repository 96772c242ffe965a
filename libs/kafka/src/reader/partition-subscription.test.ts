import { describe, expect, test } from '@jest/globals';
import { systemClock } from '../broker.fixture.ts';
import { PartitionSubscription, type SubscriptionOwner } from './partition-subscription.ts';

const owner: SubscriptionOwner = {
  clock: systemClock,
  pump: () => undefined,
  changed: () => undefined,
  closed: () => undefined,
};

describe('PartitionSubscription', () => {
  test('P4 [F23] a leader of an older epoch, named by a node that has slept, is not asked: its log may end before the position', () => {
    const subscription = new PartitionSubscription({ topic: 'beats', partition: 0 }, 301, owner);
    const leader = { nodeId: 2, leaderEpoch: 5, topicId: 'id' };
    subscription.located(leader);
    expect(subscription.state).toEqual({ kind: 'fetching', leader });
    subscription.relocate('its leader');
    subscription.located({ ...leader, nodeId: 1, leaderEpoch: 4 });
    expect(subscription.state.kind).toBe('locating');
    expect(subscription.obstacle!.what).toMatch(/node 1 was it in epoch 4, now it is 5/);
    subscription.located({ ...leader, nodeId: 3, leaderEpoch: 6 });
    expect(subscription.state.kind).toBe('fetching');
  });
});
