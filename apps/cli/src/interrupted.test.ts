// Ctrl-C while a command still waits for a broker: one that takes connections and never answers.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cli } from './cli.fixture.ts';
import { ExitCode } from './exit-code.ts';

const folder = mkdtempSync(join(tmpdir(), 'flatline-cli-'));
const sockets = new Set<Socket>();
const silent = createServer((socket) => sockets.add(socket));
let brokers = '';

beforeAll(async () => {
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  brokers = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const pipeline = {
    name: 'visits',
    kind: 'session',
    timeoutMs: 1000,
    input: { topic: 'in' },
    output: { topic: 'out' },
  };
  const content = { application: 'shop', brokers: [brokers], http: { port: 0 }, pipelines: [pipeline] };
  writeFileSync(join(folder, 'flatline.config.json'), JSON.stringify(content));
  writeFileSync(join(folder, 'access.log'), '');
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  silent.close();
  rmSync(folder, { recursive: true });
});

describe('interrupted before a broker has answered', () => {
  test.each([
    'demo',
    'try',
    'run',
    'topics check',
    'topics create',
    'topics alter',
    'sessions tail',
    'dead-letters list',
    'verify',
    'simulate --topic in --sessions 1 --rate 1',
    `import ${join(folder, 'access.log')} --topic in --format apache`,
  ])('%s ends at once with 130', async (line) => {
    const stop = new AbortController();
    const connected = once(silent, 'connection');
    const running = cli(line.split(' '), { env: { KAFKA_BROKERS: brokers }, folder, stop: stop.signal });
    await connected;
    stop.abort();
    expect((await running).exitCode).toBe(ExitCode.interrupted);
  });
});
