import { describe, expect, test } from '@jest/globals';
import { PartitionStopped } from '@flatline/base';
import { systemClock } from '../broker.fixture.ts';
import { PartitionSubscription, type SubscriptionOwner } from './partition-subscription.ts';

const owner: SubscriptionOwner = {
  clock: systemClock,
  passesUnreadable: false,
  pump: () => undefined,
  changed: () => undefined,
  closed: () => undefined,
  doubted: () => undefined,
};

describe('PartitionSubscription', () => {
  test('PS4 [F23] a leader of an older epoch, named by a node that has slept, is not asked: its log may end before the position', () => {
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

  test('PS4 [R3] a leader of an older epoch than that of the batch before the position is not asked either', () => {
    const subscription = new PartitionSubscription({ topic: 'beats', partition: 0 }, 301, owner, 5);
    subscription.located({ nodeId: 1, leaderEpoch: 4, topicId: 'id' });
    expect(subscription.state.kind).toBe('locating');
    expect(subscription.obstacle!.what).toMatch(/node 1 was it in epoch 4, now it is 5/);
    subscription.located({ nodeId: 2, leaderEpoch: 5, topicId: 'id' });
    expect(subscription.state.kind).toBe('fetching');
  });

  test.each<[string, string | undefined]>([
    ['as metadata named it first', undefined],
    ['as it was named at the start', '0'.repeat(32)],
  ])('[R3] a topic without an id, %s, is the same topic once the cluster gives ids', (_name, topicId) => {
    const subscription = new PartitionSubscription({ topic: 'beats', partition: 0 }, 301, owner, -1, topicId);
    subscription.topicIs('0'.repeat(32));
    subscription.topicIs('a'.repeat(32));
    // A node that was not upgraded yet.
    subscription.topicIs('0'.repeat(32));
    expect(subscription.failure).toBeUndefined();
    expect(subscription.topicId).toBe('a'.repeat(32));
    subscription.topicIs('b'.repeat(32));
    expect(subscription.failure!.message).toMatch(/was deleted and created again/);
  });

  test('PS3 [F23b] metadata that name a leader of a later epoch end the fetch under way, whichever node answers it', () => {
    const subscription = new PartitionSubscription({ topic: 'beats', partition: 0 }, 301, owner);
    const leader = { nodeId: 1, leaderEpoch: 5, topicId: 'id' };
    subscription.located(leader);
    const flight = {};
    subscription.sent(flight);
    subscription.named({ ...leader, nodeId: 3, leaderEpoch: 4 });
    subscription.named({ ...leader });
    expect(subscription.state).toEqual({ kind: 'fetching', leader, flight });
    const next = { ...leader, nodeId: 2, leaderEpoch: 6 };
    subscription.named(next);
    expect(subscription.state).toEqual({ kind: 'fetching', leader: next });
    expect(subscription.landed(flight)).toBe(false);
  });

  describe('PS5 [R3][F8] a leader of a later epoch than that of the batch before the position', () => {
    const leader = { nodeId: 2, leaderEpoch: 7, topicId: 'id' };
    const comparing = (): PartitionSubscription => {
      const subscription = new PartitionSubscription({ topic: 'beats', partition: 0 }, 301, owner, 5);
      subscription.located(leader);
      expect(subscription.state).toEqual({ kind: 'comparing', leader, readEpoch: 5 });
      return subscription;
    };

    test('is fetched from once it says that it holds that batch', () => {
      const subscription = comparing();
      // An answer to a question that was put to another one.
      subscription.comparedWith({ ...leader }, { leaderEpoch: 5, endOffset: 400 });
      expect(subscription.state.kind).toBe('comparing');
      subscription.comparedWith(leader, { leaderEpoch: 5, endOffset: 301 });
      expect(subscription.state).toEqual({ kind: 'fetching', leader });
      subscription.relocate('its leader');
      subscription.located(leader);
      expect(subscription.state.kind).toBe('fetching');
    });

    test.each([
      [
        'its log ends below',
        { leaderEpoch: 5, endOffset: 300 },
        /offset 301, .*epoch 7\) leader epoch 5 ends at 300\./,
      ],
      [
        'it never had that epoch',
        { leaderEpoch: 4, endOffset: 900 },
        /leader epoch 5 is not there: .* up to epoch 4\./,
      ],
      ['it knows of none', { leaderEpoch: -1, endOffset: -1 }, /leader epoch 5 is not there/],
    ])('is never fetched from where %s', (_name, end, message) => {
      const subscription = comparing();
      subscription.comparedWith(leader, end);
      expect(subscription.state.kind).toBe('failed');
      expect(subscription.failure).toBeInstanceOf(PartitionStopped);
      expect(subscription.failure!.message).toMatch(message);
    });
  });
});
