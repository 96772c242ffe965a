// F20 with the figures of the rule. Memory and answers are looked at while it lasts; what becomes of heartbeats meanwhile is tried end
// to end (apps/lab/e2e).
import { accessTokenHash, newAccessToken } from '@flatline/system';
import { expect, test } from '@jest/globals';
import { attacks } from './attacks.fixture.ts';
import { closeOf, connected, type Guarded, guarded, sent } from './testing-server.fixture.ts';
import { RequestAdmitting } from './access/admitting.ts';

const SEED = Number(process.env['SEED'] ?? 1);
const FUZZED = Number(process.env['F20_REQUESTS'] ?? 100_000);
/** Each socket is two open files of this process. */
const FILES_MAX = Number(
  (process.report.getReport() as { userLimits: { open_files: { hard: number | string } } }).userLimits.open_files.hard,
);
const IDLE_MAX = Number.isFinite(FILES_MAX) ? Math.floor((FILES_MAX - 1_000) / 2) : 10_000;
const IDLE = Number(process.env['F20_SOCKETS'] ?? Math.min(10_000, IDLE_MAX));
const AT_ONCE = 100;
const ADMIN = newAccessToken();
const asAdmin = { headers: { authorization: `Bearer ${ADMIN}`, connection: 'close' } };

function served(connectionsMax = 12_000): Promise<Guarded> {
  const admitting = new RequestAdmitting({ issued: undefined, peers: undefined });
  admitting.take({ tokens: [{ name: 'ops', role: 'admin', hash: accessTokenHash(ADMIN) }], group: undefined });
  return guarded(admitting, { perSecondMax: 1_000_000, connectionsMax });
}

test(`[F20][H2] of ${FUZZED} damaged requests none is let in, and the server answers on (seed ${SEED})`, async () => {
  const { address, port, run } = await served();
  const stream = attacks(SEED);
  for (let at = 0; at < FUZZED; at += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        const attack = stream.next().value as string;
        const answer = await sent(port, attack);
        if (/^HTTP\/1\.1 2/m.test(answer) && !answer.includes('{"ready":false}'))
          expect({ attack, answer }).toBe('refused');
      }),
    );
    if (at % 10_000 === 0) expect((await fetch(`${address}/probe`)).status).toBe(200);
  }
  expect(run).toEqual([]);
  expect((await fetch(`${address}/look`, asAdmin)).status).toBe(200);
}, 600_000);

test(`[F20][H5] ${IDLE} sockets that say nothing keep no caller out, and are closed`, async () => {
  const { address, port } = await served();
  let closed = 0;
  for (let at = 0; at < IDLE; at += AT_ONCE) {
    const some = await Promise.all(Array.from({ length: AT_ONCE }, () => connected(port)));
    for (const socket of some) {
      socket.resume();
      socket.once('close', () => (closed += 1));
    }
    expect((await fetch(`${address}/look`, asAdmin)).status).toBe(200);
  }
  // Node closes them once their time for a request is over; callers are answered meanwhile.
  while (closed < IDLE) expect((await fetch(`${address}/look`, asAdmin)).status).toBe(200);
}, 120_000);

test('[F20][H5] whoever sends a request byte by byte loses the connection, before its route is run', async () => {
  const { address, port, run } = await served();
  const socket = await connected(port);
  socket.resume();
  const closed = closeOf(socket);
  const text = `GET /look HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN}\r\n${'X: y\r\n'.repeat(1_000)}\r\n`;
  let at = 0;
  // Each hundred answers are the pause until the next byte.
  while (!socket.closed) {
    socket.write(text[at]!);
    at += 1;
    for (let i = 0; i < 100; i += 1) expect((await fetch(`${address}/probe`)).status).toBe(200);
  }
  await closed;
  expect(at).toBeLessThan(text.length);
  expect(run).toEqual([]);
}, 120_000);
