import { afterEach, expect, test } from '@jest/globals';
import Fastify from 'fastify';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { listening } from './listening.ts';

const server = Fastify();
afterEach(() => server.close());

/** Other systems grant no more. */
const GRANTED_ELSEWHERE = 128;
const granted =
  process.platform === 'linux' ? Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')) : GRANTED_ELSEWHERE;
/** Twice as many as Node asks for. */
const CALLERS = Math.min(1_100, granted);
/** Only a failing test waits so long. */
const LIMIT_MS = 20_000;
/** Callers of a thread of their own. It counts at `counts[0]` whose handshake is done, and wakes who waits for all. */
const CALLING = `
  const { workerData: { port, counts, callers } } = require('node:worker_threads');
  const { connect } = require('node:net');
  let begun = 0;
  const next = () => {
    if (begun === callers) return;
    begun += 1;
    const socket = connect(port, '127.0.0.1', () => {
      if (Atomics.add(counts, 0, 1) + 1 === callers) Atomics.notify(counts, 0);
      next();
    });
    // The server ends while they wait.
    socket.on('error', () => undefined);
  };
  for (let each = 0; each < 50; each += 1) next();
`;

test('[Q3] whoever comes while the server does something else waits in a queue longer than Node asks for', async () => {
  const { port } = new URL(await listening(server, { host: '127.0.0.1', port: 0 }));
  const counts = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(CALLING, { eval: true, workerData: { port: Number(port), counts, callers: CALLERS } });
  await once(worker, 'online');
  // Nothing is taken meanwhile.
  for (let seen = 0; seen < CALLERS; seen = Atomics.load(counts, 0))
    if (Atomics.wait(counts, 0, seen, LIMIT_MS) === 'timed-out') break;
  expect(Atomics.load(counts, 0)).toBe(CALLERS);
  await worker.terminate();
});
