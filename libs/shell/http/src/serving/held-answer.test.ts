import { afterEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { holdAnswer } from './held-answer.ts';

const servers: Server[] = [];
const callers: Socket[] = [];
afterEach(() => {
  // The server no longer knows of a connection that is held.
  for (const caller of callers.splice(0)) caller.destroy();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

interface Held {
  readonly server: Server;
  readonly caller: Socket;
  readonly response: ServerResponse;
  /** As the server has it. */
  readonly socket: Socket & { readonly parser?: unknown };
}

/** A caller whose answer has begun with "first", and is held. */
async function held(): Promise<Held> {
  const server = createServer({ connectionsCheckingInterval: 50 }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const caller = callTo(server);
  const asked = once(server, 'request');
  caller.write('GET / HTTP/1.1\r\nHost: x\r\nCookie: a=b\r\n\r\n');
  const response = (await asked)[1] as ServerResponse;
  response.writeHead(200, { 'content-type': 'text/plain' });
  response.write('first');
  const socket = response.socket!;
  holdAnswer(response);
  await heard(caller, 'first');
  await turn();
  return { server, caller, response, socket };
}

function callTo(server: Server): Socket {
  const caller = connect((server.address() as AddressInfo).port, '127.0.0.1');
  callers.push(caller);
  return caller;
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

async function heard(caller: Socket, text: string): Promise<string> {
  let all = '';
  while (!all.includes(text)) all += String((await once(caller, 'data'))[0]);
  return all;
}

test('[Q3] a held answer has no parser for the next request, and what follows is sent', async () => {
  const { socket, response, caller } = await held();
  expect(socket.parser).toBeNull();
  expect(response.headersSent).toBe(true);
  response.write('second');
  expect(await heard(caller, 'second')).toBe('6\r\nsecond\r\n');
  response.end('last');
  expect(await heard(caller, '0\r\n\r\n')).toBe('4\r\nlast\r\n0\r\n\r\n');
});

test('[Q3] what a caller says behind its request changes nothing', async () => {
  const { server, socket, response, caller } = await held();
  let requests = 0;
  server.on('request', () => (requests += 1));
  const { bytesRead } = socket;
  const more = 'no request at all\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n';
  caller.write(more);
  while (socket.bytesRead < bytesRead + more.length) await turn();
  response.write('second');
  expect(await heard(caller, 'second')).toBe('6\r\nsecond\r\n');
  expect(requests).toBe(0);
});

test('[Q3] a connection whose held answer has ended is closed, as no next request would be read', async () => {
  const { response, caller } = await held();
  const [said, closed, left] = [heard(caller, '0\r\n\r\n'), once(response, 'close'), once(caller, 'close')];
  response.end('last');
  expect(await said).toBe('4\r\nlast\r\n0\r\n\r\n');
  await Promise.all([closed, left]);
});

test.each([
  ['breaks', (caller: Socket) => caller.resetAndDestroy()],
  ['is ended by its caller', (caller: Socket) => caller.end()],
])('[Q3] a held connection that %s is closed, and heard of', async (_how, leave) => {
  const { response, caller } = await held();
  caller.on('error', () => undefined).resume();
  const closed = once(response, 'close');
  leave(caller);
  await closed;
  expect(response.destroyed).toBe(true);
});

test('[Q3] one that has gone by then is left as it is', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const caller = callTo(server);
  caller.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  const closed = once(response, 'close');
  caller.resetAndDestroy();
  await closed;
  holdAnswer(response);
  await turn();
  expect(response.destroyed).toBe(true);
});
