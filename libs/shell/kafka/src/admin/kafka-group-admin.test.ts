import { expect, test } from '@jest/globals';
import { connect, createTopic, systemClock, uniqueName } from '../broker.fixture.ts';
import { withAdmin } from '../kafkajs.fixture.ts';
import { KafkaTransactionalWriters } from '../writer/transactional-writers.ts';
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

test('what a group has written beside its offsets is told, of every topic', async () => {
  const [topic, other] = await Promise.all([createTopic(connection, 2), createTopic(connection)]);
  const [group, id] = [uniqueName('group'), uniqueName('id')];
  const writers = new KafkaTransactionalWriters({ clock: systemClock, connections: [connection] });
  const writer = await writers.open(id);
  const notes = [
    [topic, 0, 'a'],
    [topic, 1, 'b'],
    [other, 0, 'c'],
  ] as const;
  const offsets = notes.map(([of, partition, metadata]) => ({ group, topic: of, partition, offset: 1, metadata }));
  await writer.commit({ writes: [], offsets });
  // Markers are written after EndTxn is answered, and before the id can be opened again.
  await writers.open(id);
  expect((await groups.notes(group)).toSorted()).toEqual(['a', 'b', 'c']);
  expect(await groups.notes(uniqueName('group'))).toEqual([]);
});
