import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { apiKeys, redirect } from './api.ts';
import { FrameSplitter } from './frame-splitter.ts';
import { KafkaProxy } from './kafka-proxy.ts';

function frame(...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([int32(body.length), body]);
}

function int32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeInt32BE(value, 4 * index));
  return bytes;
}

function int16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  values.forEach((value, index) => bytes.writeInt16BE(value, 2 * index));
  return bytes;
}

const head = (apiKey: number, apiVersion: number, correlationId = 7): ReturnType<typeof int32> =>
  frame(int16(apiKey, apiVersion), int32(correlationId), int16(-1));

describe('frames', () => {
  test('come whole, however the stream is cut', () => {
    const frames = [frame(Buffer.from('a')), frame(Buffer.alloc(0)), frame(Buffer.from('bcd'))];
    const stream = Buffer.concat(frames);
    for (let size = 1; size <= stream.length; size += 1) {
      const splitter = new FrameSplitter();
      const found: Buffer[] = [];
      for (let at = 0; at < stream.length; at += size) found.push(...splitter.take(stream.subarray(at, at + size)));
      expect(found.map((each) => each.toString('hex'))).toEqual(frames.map((each) => each.toString('hex')));
    }
  });
});

describe('addresses', () => {
  const address = (text: string): Buffer => Buffer.concat([Buffer.from([text.length + 1]), Buffer.from(text)]);

  test('of nodes are rewritten, and nothing else', () => {
    const nodes = [9092, 9093].map((port, index) =>
      Buffer.concat([int32(index + 1), address('127.0.0.1'), int32(port), Buffer.from([0, 0])]),
    );
    const tail = Buffer.from([0xff, 9, 0x23, 0x84]);
    const answer = frame(int32(7), Buffer.from([0]), int32(0), Buffer.from([nodes.length + 1]), ...nodes, tail);
    const before = Buffer.from(answer);
    redirect(answer, { apiKey: apiKeys.Metadata, apiVersion: 12, correlationId: 7 }, (port) => port + 1000);
    expect([...answer].flatMap((byte, at) => (byte === before[at] ? [] : [at])).length).toBeLessThanOrEqual(4);
    const moved = [10_092, 10_093].map((port, index) =>
      Buffer.concat([int32(index + 1), address('127.0.0.1'), int32(port), Buffer.from([0, 0])]),
    );
    expect(answer.subarray(14, -4)).toEqual(Buffer.concat(moved));
  });

  test('of a coordinator are rewritten, unless there is none', () => {
    const named = frame(int32(7), int32(0), int16(0, -1), int32(1), int16(9), Buffer.from('127.0.0.1'), int32(9092));
    const none = frame(int32(7), int32(0), int16(15, -1), int32(-1), int16(0), int32(-1));
    const request = { apiKey: apiKeys.FindCoordinator, apiVersion: 2, correlationId: 7 };
    for (const answer of [named, none]) redirect(answer, request, () => 5);
    expect([named.readInt32BE(named.length - 4), none.readInt32BE(none.length - 4)]).toEqual([5, -1]);
  });

  test('in a version that is not understood end the trial', () => {
    const request = { apiKey: apiKeys.Metadata, apiVersion: 13, correlationId: 7 };
    expect(() => {
      redirect(frame(int32(7)), request, (port) => port);
    }).toThrow('Metadata v13');
  });
});

describe('a proxy before an echo of correlation ids', () => {
  let server: Server;
  let proxy: KafkaProxy;
  let requests: number[];
  afterEach(() => {
    proxy.close();
    server.close();
  });

  async function begin(): Promise<void> {
    requests = [];
    server = createServer((socket) => {
      const splitter = new FrameSplitter();
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        for (const each of splitter.take(bytes)) {
          requests.push(each.readInt32BE(8));
          socket.write(frame(int32(each.readInt32BE(8)), int32(0), int16(0)));
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    proxy = await KafkaProxy.open(`127.0.0.1:${typeof address === 'object' ? String(address?.port) : ''}`);
  }

  function client(): { readonly socket: Socket; readonly answers: number[]; readonly closed: Promise<void> } {
    const socket = connect(Number(proxy.bootstrap.split(':')[1]), '127.0.0.1');
    const answers: number[] = [];
    const splitter = new FrameSplitter();
    socket.on('data', (bytes) => {
      for (const each of splitter.take(bytes)) answers.push(each.readInt32BE(4));
    });
    socket.on('error', () => undefined);
    const closed = new Promise<void>((resolve) => {
      socket.once('close', () => {
        resolve();
      });
    });
    return { socket, answers, closed };
  }

  test('drops the answer to one request, after the broker has done it, and the connection with it', async () => {
    await begin();
    const { socket, answers, closed } = client();
    const done = proxy.fault({ api: 'EndTxn', kind: 'answerDropped' }, 5_000);
    socket.write(Buffer.concat([head(apiKeys.Produce, 7, 1), head(apiKeys.EndTxn, 2, 2)]));
    expect(await done).toBe(0);
    await closed;
    expect([requests, answers]).toEqual([[1, 2], [1]]);
  });

  test('delivers a late request after its client has lost the connection', async () => {
    await begin();
    const { socket, answers, closed } = client();
    const done = proxy.fault({ api: 'EndTxn', kind: 'late', lateMs: 1 }, 5_000);
    socket.write(head(apiKeys.EndTxn, 2, 3));
    await closed;
    expect(await done).toBe(0);
    expect([requests, answers]).toEqual([[3], []]);
  });

  test('spares the Produce of what is in no transaction', async () => {
    await begin();
    const { socket, answers, closed } = client();
    const produce = (correlationId: number, transactionalId: string | undefined): Buffer => {
      const id = Buffer.from(transactionalId ?? '');
      const body = [int16(2), Buffer.from('me'), int16(transactionalId === undefined ? -1 : id.length), id];
      return frame(int16(apiKeys.Produce, 7), int32(correlationId), ...body);
    };
    const done = proxy.fault({ api: 'Produce', kind: 'answerDropped' }, 5_000);
    socket.write(Buffer.concat([produce(1, undefined), produce(2, 'task')]));
    expect(await done).toBe(0);
    await closed;
    expect([requests, answers]).toEqual([[1, 2], [1]]);
  });

  test('takes an order back that met no request', async () => {
    await begin();
    expect(await proxy.fault({ api: 'EndTxn', kind: 'silence' }, 1)).toBeUndefined();
  });
});
