import { describe, expect, test } from '@jest/globals';
import { Retriable } from '@flatline/base';
import { clusterOptions, closing, connect, createTopic, readCommitted, systemClock } from '../broker.fixture.ts';
import { openCluster } from '../connection/index.ts';
import { LossyConnection } from './lossy-connection.fixture.ts';
import { KafkaProofWriter } from './proof-writer.ts';

const connection = connect();
const proofs = new KafkaProofWriter({ clock: systemClock, connection });

describe('KafkaProofWriter', () => {
  test('[C2] a clock record has a null key, an empty value and the header; the broker stamps it on LogAppendTime', async () => {
    const topic = await createTopic(connection, 1, { 'message.timestamp.type': 'LogAppendTime' });
    await proofs.append({ topic, partition: 0 }, undefined);
    const [record] = await readCommitted(connection, topic);
    expect(record).toMatchObject({ key: null, value: '', headers: { 'flatline-clock': null } });
  });

  test('[C2] on CreateTime it bears the stamp it is given', async () => {
    const topic = await createTopic(connection);
    await proofs.append({ topic, partition: 0 }, 1_234_567);
    expect(await readCommitted(connection, topic)).toMatchObject([{ offset: 0, timestamp: 1_234_567 }]);
  });

  test('proofs of many partitions at once each reach their own', async () => {
    const topic = await createTopic(connection, 8);
    const partitions = Array.from({ length: 8 }, (_, partition) => partition);
    await Promise.all(partitions.map((partition) => proofs.append({ topic, partition }, 100 + partition)));
    for (const partition of partitions)
      expect(await readCommitted(connection, topic, partition)).toMatchObject([{ timestamp: 100 + partition }]);
  });

  test('two proofs for one partition are written one after the other', async () => {
    const topic = await createTopic(connection);
    await Promise.all([1, 2, 3].map((stamp) => proofs.append({ topic, partition: 0 }, stamp)));
    expect((await readCommitted(connection, topic)).map(({ timestamp }) => timestamp)).toEqual([1, 2, 3]);
  });

  test('a lost answer is tried again: a proof written twice proves the same', async () => {
    const topic = await createTopic(connection);
    const lossy = LossyConnection.open();
    lossy.loseNext('Produce');
    await new KafkaProofWriter({ clock: systemClock, connection: lossy }).append({ topic, partition: 0 }, 5);
    expect((await readCommitted(connection, topic)).map(({ timestamp }) => timestamp)).toEqual([5, 5]);
  });

  test('without a broker it gives up after its bound, and its task asks again', async () => {
    const topic = await createTopic(connection);
    const cut = closing(openCluster(clusterOptions));
    const writer = new KafkaProofWriter({ clock: systemClock, connection: cut });
    await writer.append({ topic, partition: 0 }, undefined);
    cut.close();
    await expect(writer.append({ topic, partition: 0 }, undefined)).rejects.toThrow(Retriable);
  });
});
