// Attempts against servers that do their worst, on loopback and in real sockets.
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Outcome } from '@flatline/deliveries';
import { systemClock } from '@flatline/system';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server as TcpServer,
  type Socket,
} from 'node:net';
import { DELIVERY } from '../delivery.fixture.ts';
import { HttpSender, type HttpSenderParts } from './http-sender.ts';
import { retryAfterMs } from './retry-after.ts';

const open: (Server | TcpServer)[] = [];
const senders: HttpSender[] = [];
const children: ChildProcess[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const sender of senders.splice(0)) await sender.close();
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const server of open.splice(0)) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  }
});

function portOf(server: Server | TcpServer): number {
  return (server.address() as AddressInfo).port;
}

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${portOf(server)}/hook?x=1`;
}

function attempt(
  url: string,
  more: Partial<HttpSenderParts> = {},
  end = new AbortController().signal,
): Promise<Outcome> {
  const sender = new HttpSender({
    clock: systemClock,
    url,
    allow: ['127.0.0.1', 'sink.test'],
    timeoutMs: 400,
    maxInFlight: 2,
    secrets: () => [],
    resolve: () => Promise.resolve(['127.0.0.1']),
    userAgent: 'flatline/test',
    ...more,
  });
  senders.push(sender);
  return sender.attempt(DELIVERY, end);
}

/** Listens, and accepts no one: once its backlog of two is full the kernel answers nothing. */
const SWALLOWS = `
const [host, port] = process.argv.slice(1);
require('node:net').createServer().listen({ host, port: Number(port), backlog: 1 }, () => {
  require('node:fs').writeSync(1, 'up');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
});`;

async function swallowing(host: string, port: number): Promise<void> {
  const child = spawn(process.execPath, ['-e', SWALLOWS, host, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
  const backlog = [0, 1].map(() => connect({ host, port }));
  for (const socket of backlog) socket.on('error', () => undefined);
  await Promise.all(backlog.map((socket) => once(socket, 'connect')));
  sockets.push(...backlog);
}

describe('one attempt', () => {
  test.each([200, 201, 204, 299])('[N2] %i is success', async (code) => {
    const url = await serve((_, response) => response.writeHead(code).end());
    expect(await attempt(url)).toEqual({ kind: 'delivered' });
  });

  test.each([300, 301, 302, 307, 308, 400, 404, 429, 500, 503])(
    '[N2] %i is none, and no redirect is followed',
    async (code) => {
      let asked = 0;
      const url = await serve((_, response) => {
        asked += 1;
        response.writeHead(code, { location: '/elsewhere' }).end('why');
      });
      expect(await attempt(url)).toMatchObject({
        kind: 'failed',
        attempt: { status: code, answer: 'why' },
        gone: false,
      });
      expect(asked).toBe(1);
    },
  );

  test('[N2] 410 says so, and Retry-After is told', async () => {
    const url = await serve((_, response) => response.writeHead(410, { 'retry-after': '90' }).end());
    expect(await attempt(url)).toMatchObject({ kind: 'failed', gone: true, retryAfterMs: 90_000 });
    expect(retryAfterMs('Wed, 21 Oct 2026 07:28:00 GMT', Date.UTC(2026, 9, 21, 7, 27))).toBe(60_000);
    for (const text of ['', 'soon', '-1', '1e9', undefined]) expect(retryAfterMs(text, 0)).toBeUndefined();
  });

  test('[N2][F19] one that never answers, and one that drips its headers, end at timeoutMs', async () => {
    const silent = await serve(() => undefined);
    expect(await attempt(silent)).toMatchObject({
      kind: 'failed',
      attempt: { error: expect.stringContaining('400 ms') },
    });
    const dripping = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      const timer = setInterval(() => socket.write('H'), 20);
      socket.on('close', () => {
        clearInterval(timer);
      });
    });
    open.push(dripping);
    await new Promise<void>((resolve) => dripping.listen(0, '127.0.0.1', resolve));
    expect(await attempt(`http://127.0.0.1:${portOf(dripping)}/`)).toMatchObject({ kind: 'failed' });
  });

  test('[N2] a look-up that never ends, and a body that drips, are over at timeoutMs', async () => {
    expect(await attempt('http://hook.example/', { resolve: () => new Promise(() => undefined) })).toMatchObject({
      kind: 'failed',
      attempt: { error: expect.stringContaining('400 ms') },
    });
    const url = await serve((_, response) => {
      response.writeHead(500);
      const timer = setInterval(() => response.write('x'), 20);
      response.once('close', () => {
        clearInterval(timer);
      });
    });
    const outcome = await attempt(url, { timeoutMs: 200 });
    expect(outcome).toMatchObject({ kind: 'failed', attempt: { status: 500, answer: expect.stringMatching(/^x+$/) } });
    expect((outcome as { readonly attempt: { readonly ms: number } }).attempt.ms).toBeLessThan(900);
  });

  test('[N3] attempts that are called off end at once, and so does one that begins behind that', async () => {
    const silent = await serve(() => undefined);
    const end = new AbortController();
    const under = Array.from({ length: 2 }, () => attempt(silent, { timeoutMs: 60_000 }, end.signal));
    setImmediate(() => {
      end.abort();
    });
    const late = attempt(silent, { timeoutMs: 60_000 }, AbortSignal.abort());
    for (const outcome of await Promise.all([...under, late])) expect(outcome).toMatchObject({ kind: 'failed' });
  });

  test('[N5][F19] a gigabyte is not read: its status counts, and the connection is ended', async () => {
    let written = 0;
    let isOver: () => void = () => undefined;
    const over = new Promise<void>((resolve) => {
      isOver = resolve;
    });
    const url = await serve((_, response) => {
      response.writeHead(500);
      const chunk = Buffer.alloc(65_536, 'x');
      const more = (): void => {
        while (written < 2 ** 30 && !response.destroyed) {
          written += chunk.length;
          if (!response.write(chunk)) return;
        }
      };
      response.on('drain', more).on('close', isOver);
      more();
    });
    const outcome = await attempt(url, { timeoutMs: 5_000 });
    await over;
    expect(outcome).toMatchObject({ kind: 'failed', attempt: { status: 500, answer: 'x'.repeat(256) } });
    expect(written).toBeLessThan(64 * 2 ** 20);
  });

  test('[N5] a name that leads inward is refused without a connection, also where only one of its addresses does', async () => {
    let connected = 0;
    const url = await serve((_, response) => {
      connected += 1;
      response.end();
    });
    const port = new URL(url).port;
    const found = ['93.184.216.34', '127.0.0.1'];
    const outcome = await attempt(`http://inward.example:${port}/`, { resolve: () => Promise.resolve(found) });
    expect(outcome).toMatchObject({
      kind: 'failed',
      attempt: { error: expect.stringContaining('inward.example (127.0.0.1) is no public address') },
    });
    expect(connected).toBe(0);
  });

  test('[N5] a name is looked up once for a connection: what it says a moment later does not matter', async () => {
    const url = await serve((_, response) => response.end());
    let asked = 0;
    const resolve = (): Promise<readonly string[]> => {
      asked += 1;
      return Promise.resolve([asked === 1 ? '127.0.0.1' : '169.254.169.254']);
    };
    expect(await attempt(`http://sink.test:${new URL(url).port}/`, { resolve })).toEqual({ kind: 'delivered' });
    expect(asked).toBe(1);
  });

  test('[N5] a proxy of the environment is not used', async () => {
    const before = { ...process.env };
    const url = await serve((_, response) => response.end());
    Object.assign(process.env, {
      HTTP_PROXY: 'http://127.0.0.1:1',
      http_proxy: 'http://127.0.0.1:1',
      NODE_USE_ENV_PROXY: '1',
    });
    try {
      expect(await attempt(url)).toEqual({ kind: 'delivered' });
    } finally {
      for (const name of ['HTTP_PROXY', 'http_proxy', 'NODE_USE_ENV_PROXY'])
        if (!(name in before)) Reflect.deleteProperty(process.env, name);
    }
  });

  test('[N5] a resolver that fails is a failed attempt, in words', async () => {
    const resolve = () => Promise.reject(new Error('getaddrinfo EAI_AGAIN hook.example'));
    expect(await attempt('http://hook.example/', { resolve })).toMatchObject({
      kind: 'failed',
      attempt: { error: expect.stringContaining('EAI_AGAIN') },
    });
  });

  test('[N5] where the first address does not answer, the next is tried', async () => {
    const url = await serve((_, response) => response.end());
    const outcome = await attempt(`http://sink.test:${new URL(url).port}/`, {
      resolve: () => Promise.resolve(['127.0.0.2', '127.0.0.1']),
    });
    expect(outcome).toEqual({ kind: 'delivered' });
  });

  test('[N2][N5] a first address that swallows packets leaves time for the next', async () => {
    const url = await serve((_, response) => response.end());
    const port = Number(new URL(url).port);
    await swallowing('127.0.0.3', port);
    const outcome = await attempt(`http://sink.test:${port}/`, {
      timeoutMs: 1_000,
      resolve: () => Promise.resolve(['127.0.0.3', '127.0.0.1']),
    });
    expect(outcome).toEqual({ kind: 'delivered' });
  });

  test('[N3] of what went wrong little is kept', async () => {
    const resolve = () => Promise.reject(new Error('x'.repeat(20_000)));
    expect(await attempt('http://hook.example/', { resolve })).toMatchObject({
      kind: 'failed',
      attempt: { error: 'x'.repeat(256) },
    });
  });
});
