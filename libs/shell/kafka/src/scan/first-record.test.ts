import { expect, test } from '@jest/globals';
import { KafkaLogAdmin } from '../admin/kafka-log-admin.ts';
import { closing, clusterOptions, createTopic, systemClock, uniqueName } from '../broker.fixture.ts';
import { type AnswerDecoder, type KafkaRequest, type SendOptions } from '../connection/index.ts';
import { KafkaConnection } from '../connection/kafka-connection.ts';
import { withProducer } from '../kafkajs.fixture.ts';
import { firstRecord } from './first-record.ts';

/** Notes the names of what is sent to one node. */
class NotingConnection extends KafkaConnection {
  sent: string[] = [];

  override send<T>(nodeId: number, request: KafkaRequest, decode: AnswerDecoder<T>, options?: SendOptions): Promise<T> {
    this.sent.push(request.apiName);
    return super.send(nodeId, request, decode, options);
  }
}

const connection = closing(new NotingConnection(clusterOptions));
const admin = new KafkaLogAdmin({ clock: systemClock, connection });

async function look(topic: string, partitionCount: number) {
  connection.sent = [];
  const found = await firstRecord({ clock: systemClock, connection }, { topic, partitionCount });
  return { found, sent: connection.sent };
}

const message = (partition: number, name: string) => ({ partition, value: 'x', headers: { [name]: 'y' } });

test('[I4] the first record of 64 partitions is found by two requests', async () => {
  const topic = await createTopic(connection, 64);
  expect(await look(topic, 64)).toEqual({ found: undefined, sent: ['ListOffsets', 'Fetch'] });
  await withProducer((producer) => producer.send({ topic, messages: [message(63, 'a'), message(63, 'b')] }));
  const headers = [{ name: 'a', value: Buffer.from('y') }];
  const found = { topic, partition: 63, offset: 0, headers };
  expect(await look(topic, 64)).toEqual({ found, sent: ['ListOffsets', 'Fetch'] });
  await admin.truncate({ topic, partition: 63 }, 1);
  expect((await look(topic, 64)).found).toMatchObject({ offset: 1, headers: [{ name: 'b' }] });
});

test('[I4] where the log begins with markers, it is looked for behind them; what was aborted counts', async () => {
  const topic = await createTopic(connection);
  await withProducer(async (producer) => {
    for (const name of ['a', 'b']) {
      const transaction = await producer.transaction();
      const value = 'x'.repeat(2_000);
      await transaction.send({ topic, messages: [{ ...message(0, name), value }] });
      await transaction.abort();
    }
  }, uniqueName('id'));
  // EndTxn is answered before its marker is in the log.
  while ((await admin.ends({ topic, partition: 0 })).lastStableOffset < 4);
  expect((await look(topic, 1)).found).toMatchObject({ offset: 0, headers: [{ name: 'a' }] });
  await admin.truncate({ topic, partition: 0 }, 1);
  const { found, sent } = await look(topic, 1);
  expect(found).toMatchObject({ offset: 2, headers: [{ name: 'b' }] });
  expect(sent).toEqual(['ListOffsets', 'Fetch', 'Fetch']);
});
