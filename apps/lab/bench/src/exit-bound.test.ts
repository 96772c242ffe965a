import { afterEach, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { bindToExit } from './exit-bound.ts';

let server: Server | undefined;

afterEach(() => {
  server?.close();
});

/** A script that lives for ever, visible by its connection. */
const child = (port: number): string =>
  `require('net').connect(${port}, '127.0.0.1'); setInterval(() => undefined, 1000)`;

/** A script that starts the child, and exits at its first message. */
const parent = (port: number): string => `
  import { spawn } from 'node:child_process';
  import { bindToExit } from ${JSON.stringify(new URL('exit-bound.ts', import.meta.url).href)};
  bindToExit(spawn(process.execPath, ['-e', ${JSON.stringify(child(port))}], { stdio: 'ignore' }));
  process.stdin.once('data', () => process.exit(3));
`;

test('what is bound ends with the process that started it', async () => {
  const listening = createServer().listen(0, '127.0.0.1');
  server = listening;
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  const args = ['--conditions=@flatline/source', '--input-type=module', '-e', parent(port)];
  const starter = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'inherit'] });
  const exit = once(starter, 'exit');
  const [socket] = (await once(listening, 'connection')) as [Socket];
  const closed = new Promise((resolve) => {
    // A killed process may reset the connection.
    socket.on('error', () => undefined).on('close', resolve);
  });
  socket.resume();
  starter.stdin.end('go');
  expect(await exit).toEqual([3, null]);
  await closed;
});

test('what has ended is bound no more, also where its channel was closed from here', async () => {
  const before = process.listenerCount('exit');
  const source = "process.once('disconnect', () => process.exit())";
  const bound = bindToExit(spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }));
  expect(process.listenerCount('exit')).toBe(before + 1);
  const exit = once(bound, 'exit');
  bound.disconnect();
  await exit;
  expect(process.listenerCount('exit')).toBe(before);
});
