// F20, in little; attacks.long.test.ts has the figures of the rule.
import { accessTokenHash, newAccessToken } from '@flatline/system';
import { expect, test } from '@jest/globals';
import { attacks, SMUGGLED } from './attacks.fixture.ts';
import { connected, type Guarded, guarded, sent } from './testing-server.fixture.ts';
import { RequestAdmitting } from './access/admitting.ts';

const SEED = Number(process.env['SEED'] ?? 1);
const FUZZED = 1_500;
const IDLE = 400;
const ADMIN = newAccessToken();

function served(connectionsMax = 1_000): Promise<Guarded> {
  const admitting = new RequestAdmitting({ issued: undefined, peers: undefined });
  admitting.take({ tokens: [{ name: 'ops', role: 'admin', hash: accessTokenHash(ADMIN) }], group: undefined });
  return guarded(admitting, { perSecondMax: 1_000_000, connectionsMax });
}

const asAdmin = { headers: { authorization: `Bearer ${ADMIN}`, connection: 'close' } };

test.each(Object.entries(SMUGGLED))('[F20][H2] no request is smuggled in another by %s', async (_how, first) => {
  const { port, run } = await served();
  // The next request, for a reader that takes the first one to be shorter, with the token of another.
  const hidden = `GET /look HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${ADMIN}\r\n\r\n`;
  const answer = await sent(port, first + hidden);
  // Where the first one is whole it is answered; then the connection ends.
  expect(answer).toMatch(/(?:^|\n|\})HTTP\/1\.1 400 /);
  expect(answer).not.toMatch(/HTTP\/1\.1 2/);
  expect(run).toEqual([]);
});

test(`[F20][H2] of ${FUZZED} damaged requests none is let in, and the server answers on (seed ${SEED})`, async () => {
  const { address, port, run } = await served();
  const stream = attacks(SEED);
  for (let at = 0; at < FUZZED; at += 50)
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        const attack = stream.next().value as string;
        const answer = await sent(port, attack);
        // Only the open route answers strangers, and it is not asked here but by accident.
        if (/^HTTP\/1\.1 2/m.test(answer) && !answer.includes('{"ready":false}'))
          expect({ attack, answer }).toBe('refused');
      }),
    );
  expect(run).toEqual([]);
  expect((await fetch(`${address}/look`, asAdmin)).status).toBe(200);
});

test(`[F20][H5] ${IDLE} sockets that say nothing keep no caller out`, async () => {
  const { address, port, run } = await served(IDLE / 4);
  const idle = await Promise.all(Array.from({ length: IDLE }, () => connected(port)));
  expect((await fetch(`${address}/look`, asAdmin)).status).toBe(200);
  expect(run).toEqual(['read ops']);
  for (const socket of idle) socket.destroy();
});
