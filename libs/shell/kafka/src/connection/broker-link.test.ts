import { type AddressInfo, createServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Retriable } from '@flatline/base';
import { ManualClock } from '@flatline/base/manual-clock';
import { clusterOptions, connect, createTopic } from '../broker.fixture.ts';
import { fixedAccess } from '../access/index.ts';
import { BrokerLink, loginEarlyMs } from './broker-link.ts';
import { kafkajsLogger } from './kafkajs-log.ts';
import { parseAddress, type KafkaOptions } from './kafka-options.ts';
import { decodeMetadata, metadataRequest } from './metadata.ts';
import { openProxy, type TcpProxy } from './tcp-proxy.fixture.ts';

let proxy: TcpProxy;
let link: BrokerLink;

function linkTo(
  target: { readonly host: string; readonly port: number },
  overrides: Partial<KafkaOptions> = {},
): BrokerLink {
  return new BrokerLink(target, { ...clusterOptions, ...overrides }, kafkajsLogger({}));
}

const TLS = { access: fixedAccess(clusterOptions.clock, { ssl: true }) };

/** The names of the topics in the answer, which must be those asked for. */
async function ask(topics: readonly string[] = [], timeoutMs = 10_000): Promise<readonly string[]> {
  const { topics: found } = await link.send(metadataRequest(topics), decodeMetadata, { timeoutMs });
  return found.map(({ topic }) => topic);
}

beforeEach(async () => {
  const { host, port } = parseAddress(clusterOptions.brokers[0]!)!;
  proxy = await openProxy(host, port);
  link = linkTo(proxy.address);
});

afterEach(() => {
  link.close();
  proxy.close();
});

describe('BrokerLink', () => {
  test('LK2 requests that come together share one connection per lane', async () => {
    await Promise.all(Array.from({ length: 20 }, () => ask()));
    expect(proxy.accepted()).toBe(1);
    await link.send(metadataRequest([]), decodeMetadata, { lane: 'waiting' });
    expect(proxy.accepted()).toBe(2);
  });

  test('LK1 an answer cut off in the middle fails its request, and the next one is understood', async () => {
    const topics = [await createTopic(connect()), await createTopic(connect())];
    await ask();
    for (const bytes of [3, 4, 10, 40]) {
      proxy.cutAfter(bytes, 'close');
      await expect(ask(topics)).rejects.toThrow(Retriable);
      proxy.heal();
      expect(await ask(topics)).toEqual(topics);
    }
  });

  test('LK3 a broker that falls silent costs a request its time limit and its connection, no more', async () => {
    await ask();
    proxy.cutAfter(0, 'silence');
    const waiting = [ask([], 100), ask([], 60_000)];
    const failures = await Promise.allSettled(waiting);
    // The one behind it would never be answered either.
    for (const failure of failures)
      expect(failure).toMatchObject({ status: 'rejected', reason: expect.any(Retriable) });
    proxy.heal();
    expect(await ask()).toEqual([]);
    expect(proxy.accepted()).toBe(2);
  });

  test('LK3 a broker that accepts and then says nothing is given up', async () => {
    link.close();
    const clock = new ManualClock();
    link = linkTo(proxy.address, { clock, connectTimeoutMs: 5_000 });
    proxy.cutAfter(0, 'silence');
    const refused = expect(ask()).rejects.toThrow(/did not complete a connection within 5000 ms/);
    while (clock.pending === 0) await setImmediate();
    clock.advance(5_000);
    await refused;
    proxy.heal();
    // Beyond the back-off.
    clock.advance(60_000);
    expect(await ask()).toEqual([]);
  });

  test('a listener that closes at once may expect other ssl and sasl settings, and the error says so', async () => {
    proxy.cutAfter(0, 'close');
    await expect(ask()).rejects.toThrow(/closed the connection before it could be used: .*kafka\.ssl and kafka\.sasl/);
  });

  test.each([
    ['an HTTP server', 'HTTP/1.1 400 Bad Request\r\n\r\n', {}, 'Misconfigured', /is an HTTP server.*setting brokers/],
    ['a TLS listener', '\x15\x03\x03\x00\x02\x02\x46', {}, 'Misconfigured', /expects TLS: set kafka\.ssl/],
    ['TLS where something else speaks', 'HTTP/1.1 400', TLS, 'Misconfigured', /check kafka\.ssl/],
    ['TLS where the peer hangs up', '', TLS, 'Retriable', /without TLS.*kafka\.ssl/],
  ])(
    'what is no such listener is told for one, and the setting is named: %s',
    async (_what, answer, settings, name, hint) => {
      const server = createServer((socket) => {
        socket.on('error', () => undefined).once('data', () => socket.end(answer, 'latin1'));
      });
      const port = await new Promise<number>((resolve) => {
        server.listen(0, '127.0.0.1', () => {
          resolve((server.address() as AddressInfo).port);
        });
      });
      const stranger = linkTo({ host: '127.0.0.1', port }, settings);
      const error = await stranger.send(metadataRequest([]), decodeMetadata).catch((thrown: unknown) => thrown);
      stranger.close();
      server.close();
      expect(error).toMatchObject({ name, message: expect.stringMatching(hint) });
    },
  );

  test('a login that the listener does not ask for is no matter of trying again, and the setting is named', async () => {
    const sasl = { mechanism: 'plain', username: 'a', password: 'b' } as const;
    const access = fixedAccess(clusterOptions.clock, { sasl });
    const stranger = linkTo(parseAddress(clusterOptions.brokers[0]!)!, { access });
    const asked = stranger.send(metadataRequest([]), decodeMetadata);
    await expect(asked).rejects.toMatchObject({ name: 'Misconfigured', message: expect.stringMatching(/kafka\.sasl/) });
    stranger.close();
  });

  test.each([
    [3_600_000, 10_000],
    [8_000, 2_000],
    [1_200, 100],
    [800, -300],
  ])('a session of %i ms is renewed %i ms before its end, and not within a second', (lifetimeMs, early) => {
    expect(loginEarlyMs(lifetimeMs)).toBe(early);
  });

  test('a refused connection is worth another try, and names the address', async () => {
    const refused = linkTo({ host: '127.0.0.1', port: 1 });
    await expect(refused.send(metadataRequest([]), decodeMetadata)).rejects.toThrow(/127\.0\.0\.1:1: .*ECONNREFUSED/);
    expect(refused.failures).toBe(1);
    refused.close();
  });

  test('closing rejects what is under way', async () => {
    await ask();
    proxy.cutAfter(0, 'silence');
    const waiting = ask();
    link.close();
    await expect(waiting).rejects.toThrow(Retriable);
    await expect(ask()).rejects.toThrow(/closed/);
  });

  test('an answer that is not what the protocol promises is fatal', async () => {
    const nonsense = link.send(metadataRequest([]), (payload) => decodeMetadata(payload.subarray(0, 20)));
    await expect(nonsense).rejects.toMatchObject({ name: 'Fatal' });
  });
});
