import { describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { askBrokers, parseBrokers } from './metadata-probe.ts';

/** A Metadata v1 answer of the given brokers, as the protocol guide lays it out. */
function answerOf(
  brokers: readonly { readonly id: number; readonly host: string; readonly rack: string | null }[],
): Buffer {
  const int32 = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(value);
    return bytes;
  };
  const string = (text: string | null): Buffer => {
    const size = Buffer.alloc(2);
    size.writeInt16BE(text === null ? -1 : text.length);
    return Buffer.concat([size, Buffer.from(text ?? '')]);
  };
  const entries = brokers.map(({ id, host, rack }) => [int32(id), string(host), int32(9092), string(rack)]);
  return Buffer.concat([int32(1), int32(brokers.length), ...entries.flat(), int32(1), int32(0)]);
}

describe('a metadata answer', () => {
  test('names its brokers, with and without a rack', () => {
    const answer = answerOf([
      { id: 3, host: 'c.example', rack: 'east' },
      { id: 1, host: 'a', rack: null },
    ]);
    expect(parseBrokers(answer)).toEqual([
      { id: 1, host: 'a', port: 9092 },
      { id: 3, host: 'c.example', port: 9092 },
    ]);
  });

  test('without brokers is what a broker says before the controller lets it in', () => {
    expect(parseBrokers(answerOf([]))).toEqual([]);
  });

  test('cut short throws instead of naming fewer', () => {
    const answer = answerOf([{ id: 1, host: 'a', rack: null }]);
    expect(() => parseBrokers(answer.subarray(0, 12))).toThrow(/out of range/);
  });
});

test('the broker of the global setup answers a metadata request', async () => {
  const [first] = (process.env['KAFKA_BROKERS'] ?? '').split(',');
  const [host, port] = (first ?? '').split(':');
  const brokers = await askBrokers({ host: host ?? '', port: Number(port) });
  expect(brokers?.length).toBeGreaterThan(0);
});

test('a listener that does not speak Kafka does not answer', async () => {
  const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await askBrokers({ host: '127.0.0.1', port })).toBeUndefined();
  server.close();
});
