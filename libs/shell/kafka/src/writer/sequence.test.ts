import { describe, expect, test } from '@jest/globals';
import { connect, createTopic } from '../broker.fixture.ts';
import { RecordBatchEncoder } from '../record-batch/encoder.ts';
import { decodeProduce, type ProduceAnswer, produceRequest } from './produce-request.ts';
import { decodeInitProducerId, initProducerIdRequest } from './producer-requests.ts';
import { sequenceAfter } from './sequence.ts';

const LAST = 2 ** 31 - 1;

describe('sequenceAfter', () => {
  test('[kafkajs 19] counts on from 0 after the greatest 32-bit integer', () => {
    expect(sequenceAfter(0, 3)).toBe(3);
    expect(sequenceAfter(LAST, 1)).toBe(0);
    expect(sequenceAfter(LAST - 1, 5)).toBe(3);
  });

  test('[kafkajs 19] the broker expects the same number, and no other', async () => {
    const connection = connect();
    const topic = await createTopic(connection);
    const { producerId, epoch } = await connection.sendAny(initProducerIdRequest(null, 0), (payload) =>
      decodeInitProducerId(payload, 'test'),
    );
    const { nodeId } = await connection.leader({ topic, partition: 0 });
    const produce = async (baseSequence: number): Promise<ProduceAnswer> => {
      const encoder = new RecordBatchEncoder();
      for (let count = 0; count < 5; count += 1) encoder.add({ key: null, value: null }, 0);
      const bytes = encoder.seal({ producerId, producerEpoch: epoch, baseSequence, transactional: false });
      const batch = { topic, partition: 0, bytes, recordCount: 5 };
      const request = produceRequest([batch], { transactionalId: null, acknowledgeMs: 5_000 });
      return (await connection.send(nodeId, request, decodeProduce))[0]!;
    };
    const first = LAST - 1;
    expect(await produce(first)).toMatchObject({ errorCode: 0, baseOffset: 0 });
    // OUT_OF_ORDER_SEQUENCE_NUMBER
    expect(await produce(sequenceAfter(first, 5) + 1)).toMatchObject({ errorCode: 45 });
    expect(await produce(sequenceAfter(first, 5))).toMatchObject({ errorCode: 0, baseOffset: 5 });
  });
});
