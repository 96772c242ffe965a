import { expect, test } from '@jest/globals';
import { Fenced } from '@flatline/base';
import { KafkaLogAdmin } from '../admin/kafka-log-admin.ts';
import {
  clusterOptions,
  closing,
  connect,
  createTopic,
  readCommitted,
  systemClock,
  uniqueName,
} from '../broker.fixture.ts';
import { type AnswerDecoder, codeOf, KafkaCode, type KafkaRequest, type SendOptions } from '../connection/index.ts';
import { KafkaConnection } from '../connection/kafka-connection.ts';
import { pause } from '@flatline/system';
import { KafkaTransactionalWriters } from './transactional-writers.ts';

const LOOK_AGAIN_MS = 100;

/** A connection to the real broker on which the end of a transaction is late: its sender was held up. */
class HeldUpConnection extends KafkaConnection {
  readonly #until: () => Promise<void>;

  constructor(until: () => Promise<void>) {
    super(clusterOptions);
    this.#until = until;
  }

  override async send<T>(
    nodeId: number,
    request: KafkaRequest,
    decode: AnswerDecoder<T>,
    options?: SendOptions,
  ): Promise<T> {
    if (request.apiName === 'EndTxn') await this.#until();
    return super.send(nodeId, request, decode, options);
  }
}

test('[kafkajs 17] a transaction that the broker itself timed out sounds like a fence, although the id was not opened again', async () => {
  const connection = connect();
  const admin = new KafkaLogAdmin({ clock: systemClock, connection });
  const topic = await createTopic(connection);
  // The coordinator aborts what is older than its timeout and writes a marker: then the log has no open transaction.
  const timedOut = async (): Promise<void> => {
    for (;;) {
      const { lastStableOffset } = await admin.ends({ topic, partition: 0 });
      if (lastStableOffset > 0) return;
      await pause(systemClock, LOOK_AGAIN_MS);
    }
  };
  const heldUp = closing(new HeldUpConnection(timedOut));
  const id = uniqueName('id');
  const write = (key: string): { topic: string; partition: number; records: { key: Buffer; value: null }[] } => ({
    topic,
    partition: 0,
    records: [{ key: Buffer.from(key), value: null }],
  });
  const writers = new KafkaTransactionalWriters({
    clock: systemClock,
    connections: [heldUp],
    transactionTimeoutMs: 1_000,
  });
  const writer = await writers.open(id);
  const late = await writer.commit({ writes: [write('late')], offsets: [] }).catch((error: unknown) => error);
  expect(late).toBeInstanceOf(Fenced);
  expect(codeOf(late)).toBe(KafkaCode.producerFenced);
  const successor = await new KafkaTransactionalWriters({ clock: systemClock, connections: [connection] }).open(id);
  await successor.commit({ writes: [write('after')], offsets: [] });
  expect((await readCommitted(connection, topic)).map(({ key }) => key)).toEqual(['after']);
});
