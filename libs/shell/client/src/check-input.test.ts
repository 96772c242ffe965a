// Cost of checking that a topic is an input, on a real broker: `KAFKA_BROKERS`, or one that the test run starts.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { BatchProducer, firstRecord, KafkaTopicAdmin, openCluster } from '@flatline/kafka';
import { INCARNATION_HEADER } from '@flatline/ports';
import { systemClock as clock } from '@flatline/system';
import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { connect, type Flatline } from './index.ts';

const PARTITIONS = 64;
/** In the last partition, so that the others are looked at, too. */
const FILLED = PARTITIONS - 1;
const kafka = { brokers: (process.env['KAFKA_BROKERS'] ?? '').split(','), clientId: 'flatline-client-test', clock };
const connection = openCluster(kafka);
const utf8 = new TextEncoder();

let sockets: Socket[] = [];
const onSocket = (message: unknown): void => void sockets.push((message as { readonly socket: Socket }).socket);
const opened: Flatline[] = [];
beforeAll(() => {
  subscribe('net.client.socket', onSocket);
});
afterEach(async () => {
  await Promise.allSettled(opened.splice(0).map((each) => each.close()));
});
afterAll(() => {
  unsubscribe('net.client.socket', onSocket);
  connection.close();
});

function bytesRead(): number {
  return sockets.reduce((sum, socket) => sum + socket.bytesRead, 0);
}

function open(): Flatline {
  const flatline = connect({ brokers: kafka.brokers });
  opened.push(flatline);
  return flatline;
}

/** A topic whose last partition holds a small batch, and two megabytes after it. */
async function filledTopic(headers: readonly { readonly name: string; readonly value: Uint8Array }[]): Promise<string> {
  const topic = `client-${randomUUID()}`;
  await new KafkaTopicAdmin({ clock, connection }).createTopics([
    { topic, partitions: PARTITIONS, replicationFactor: 1, settings: {} },
  ]);
  // Every leader answers by then.
  await firstRecord({ clock, connection }, { topic, partitionCount: PARTITIONS });
  const producer = await BatchProducer.open({ clock, connection, topic });
  const add = (bytes: number): Promise<void> | undefined =>
    producer.add({ key: utf8.encode('anna'), value: new Uint8Array(bytes), headers, partition: FILLED });
  await add(1);
  await producer.flush();
  for (let i = 0; i < 100; i += 1) await add(20_000);
  await producer.close();
  return topic;
}

describe('seeing that a topic is an input', () => {
  test('[I4] takes no connection of its own and some kilobytes, however much the topic holds; once per client', async () => {
    const topic = await filledTopic([]);
    const flatline = open();
    sockets = [];
    await flatline.heartbeats({ topic });
    const first = bytesRead();
    expect(sockets.length).toBe(1);
    expect(first).toBeLessThan(20_000);
    await Promise.all([flatline.heartbeats({ topic }), flatline.sessions({ topic, timeoutMs: 1_000 })]);
    expect(sockets.length).toBe(1);
    expect(bytesRead() - first).toBeLessThan(2 * first);
  });

  test('[I4] an output is refused as such in any partition, each time', async () => {
    const topic = await filledTopic([{ name: INCARNATION_HEADER, value: utf8.encode('0-0') }]);
    const flatline = open();
    const refusal = new RegExp(
      `^topic ${topic} is written by a processor \\(${FILLED}-0 has the header ${INCARNATION_HEADER}\\): give the input`,
    );
    await expect(flatline.heartbeats({ topic })).rejects.toThrow(refusal);
    await expect(flatline.sessions({ topic, timeoutMs: 1_000 })).rejects.toThrow(refusal);
  });
});
