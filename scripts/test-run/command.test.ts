import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { type Command, runCommand } from './command.ts';

/** Living processes connect here; their deaths show as the ends of their connections. */
let server: Server;
let port: number;

beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});

afterEach(() => {
  server.close();
});

/** A script that lives until it is killed, whatever signals it may ignore. */
const living = (): string =>
  `process.on('SIGINT', () => undefined); require('net').connect(${port}, '127.0.0.1'); setInterval(() => undefined, 1000);`;

/** A script that starts `living()` as a grandchild that keeps the output open, and then runs `then`. */
const parentOf = (then: string): string =>
  `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(living())}], { stdio: 'inherit' }); ${then}`;

function node(script: string, options: Partial<Command> = {}): Command {
  return {
    command: process.execPath,
    args: ['-e', script],
    cwd: '.',
    env: process.env,
    signal: new AbortController().signal,
    limitMs: 60_000,
    ...options,
  };
}

function connections(count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  return new Promise((resolve) => {
    server.on('connection', (socket) => {
      socket.on('error', () => undefined).resume();
      sockets.push(socket);
      if (sockets.length === count) resolve(sockets);
    });
  });
}

/** A process killed with unread bytes resets its connection: `once` would take that for a failure. */
async function allClosed(sockets: readonly Socket[]): Promise<void> {
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise((resolve) => {
          socket.on('close', resolve);
        }),
    ),
  );
}

describe('runCommand', () => {
  test('gives back the exit code and both outputs', async () => {
    const ended = await runCommand(node("console.log('a'); console.error('b'); process.exitCode = 3;"));
    expect(ended.exitCode).toBe(3);
    expect(ended.output).toContain('a\n');
    expect(ended.output).toContain('b\n');
  });

  test('a command that does not exist has failed, with the reason', async () => {
    const ended = await runCommand(node('', { command: 'flatline-no-such-command' }));
    expect(ended.exitCode).toBeUndefined();
    expect(ended.output).toContain('ENOENT');
  });

  test('ends what a command that is done leaves behind', async () => {
    const both = connections(2);
    const done = `require('net').connect(${port}, '127.0.0.1').on('data', () => process.exit(0));`;
    const running = runCommand(node(parentOf(done)));
    const sockets = await both;
    const closed = allClosed(sockets);
    for (const socket of sockets) socket.write('go on');
    expect((await running).exitCode).toBe(0);
    await closed;
  });

  test('stopped, it ends the command and what that has started', async () => {
    const stop = new AbortController();
    const both = connections(2);
    const running = runCommand(node(parentOf(living()), { signal: stop.signal }));
    const closed = allClosed(await both);
    stop.abort();
    expect((await running).exitCode).toBeUndefined();
    await closed;
  });

  test('a run that was stopped before starts nothing that lives', async () => {
    const ended = await runCommand(node(living(), { signal: AbortSignal.abort() }));
    expect(ended.exitCode).toBeUndefined();
  });

  test('ends a command that takes too long, and says so', async () => {
    const ended = await runCommand(node(living(), { limitMs: 1 }));
    expect(ended).toEqual({ exitCode: undefined, output: expect.stringContaining('not done after 0.001 s') });
  });

  test('keeps the end of a long output', async () => {
    const ended = await runCommand(node("process.stdout.write('x'.repeat(3 << 20) + 'the end')"));
    expect(ended.output.length).toBeLessThan(2 ** 20 + 100);
    expect(ended.output).toMatch(/^\(\d+ bytes before this left out\)\nx+the end$/);
  });
});
