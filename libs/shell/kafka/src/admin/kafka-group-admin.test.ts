import { expect, test } from '@jest/globals';
import { connect, createTopic, systemClock } from '../broker.fixture.ts';
import { withAdmin } from '../kafkajs.fixture.ts';
import { KafkaGroupAdmin } from './kafka-group-admin.ts';

const connection = connect();
const groups = new KafkaGroupAdmin({ clock: systemClock, connection });

test('the groups that read a topic are those that have committed an offset of it', async () => {
  const [read, other, unread] = await Promise.all([
    createTopic(connection, 2),
    createTopic(connection),
    createTopic(connection),
  ]);
  const committed = [
    ['b', read, 1],
    ['a', read, 0],
    ['c', other, 0],
  ] as const;
  await withAdmin((kafkajs) => {
    const setting = committed.map(([name, topic, partition]) =>
      kafkajs.setOffsets({ groupId: `${name}-of-${read}`, topic, partitions: [{ partition, offset: '0' }] }),
    );
    return Promise.all(setting);
  });
  expect(await groups.readersOf([read, other, unread])).toEqual(
    new Map([
      [read, [`a-of-${read}`, `b-of-${read}`]],
      [other, [`c-of-${read}`]],
      [unread, []],
    ]),
  );
});
