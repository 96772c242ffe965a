import { describe, expect, test } from '@jest/globals';
import { accessTokenHash, newAccessToken } from '@flatline/system';
import Fastify from 'fastify';
import { once } from 'node:events';
import { closeOf, connected, guarded, sent } from '../testing-server.fixture.ts';
import { RequestAdmitting } from './admitting.ts';
import { addGuard } from './guard.ts';

const READER = newAccessToken();
const ADMIN = newAccessToken();
const GROUP = newAccessToken();

function admitting(): RequestAdmitting {
  const made = new RequestAdmitting({ issued: undefined, peers: undefined });
  const tokens = [
    { name: 'prometheus', role: 'read', hash: accessTokenHash(READER) },
    { name: 'ops', role: 'admin', hash: accessTokenHash(ADMIN) },
  ] as const;
  made.take({ tokens, group: GROUP });
  return made;
}

const bearer = (token: string): { readonly authorization: string } => ({ authorization: `Bearer ${token}` });

describe('[H2] who may ask what', () => {
  const ROUTES = [
    ['GET', '/probe', 'open'],
    ['HEAD', '/probe', 'open'],
    ['GET', '/look', 'read'],
    ['HEAD', '/look', 'read'],
    ['POST', '/look', 'read'],
    ['POST', '/act/k', 'admin'],
  ] as const;
  const CALLERS = [
    ['no token', {}, { open: true, read: 401, admin: 401 }],
    ['an empty token', { authorization: 'Bearer ' }, { open: true, read: 401, admin: 401 }],
    ['another scheme', { authorization: `Basic ${ADMIN}` }, { open: true, read: 401, admin: 401 }],
    ['a token of no list', bearer(newAccessToken()), { open: true, read: 401, admin: 401 }],
    ['a hash for the token', bearer(accessTokenHash(ADMIN)), { open: true, read: 401, admin: 401 }],
    ['two tokens in one', bearer(`${READER}, Bearer ${ADMIN}`), { open: true, read: 401, admin: 401 }],
    ['the group', bearer(GROUP), { open: true, read: true, admin: 403 }],
    ['a reader', bearer(READER), { open: true, read: true, admin: 403 }],
    ['an administrator', bearer(ADMIN), { open: true, read: true, admin: true }],
  ] as const;

  test.each(CALLERS)('[H2] %s', async (_who, headers, may) => {
    const { address, run } = await guarded(admitting());
    for (const [method, path, role] of ROUTES) {
      const before = run.length;
      const { status } = await fetch(`${address}${path}`, { method, headers });
      const expected = may[role];
      if (expected === true) expect(status).toBeLessThan(300);
      else expect({ method, path, status, run: run.length }).toEqual({ method, path, status: expected, run: before });
    }
  });

  test('[H2] a route that the table does not name, or whose methods have several roles, is not registered', () => {
    const server = Fastify();
    const log = { info: () => undefined, warn: () => undefined };
    const clock = { monotonicMs: () => 0 };
    const limits = { perSecondMax: 1, connectionsMax: 1 };
    const roles = { 'GET /a': 'read', 'POST /a': 'admin' } as const;
    addGuard(server, { roles, admitting: undefined, hosts: [], ...limits, clock, log });
    expect(() => server.get('/b', () => '')).toThrow('GET /b has no role');
    expect(() => server.get('/toString', () => '')).toThrow('GET /toString has no role');
    expect(() => server.route({ method: ['GET', 'POST'], url: '/a', handler: () => '' })).toThrow('several roles');
  });

  test('[H2] an open route tells a stranger yes or no, and a caller all', async () => {
    const { address } = await guarded(admitting());
    expect(await (await fetch(`${address}/probe`)).json()).toEqual({ ready: false });
    expect(await (await fetch(`${address}/probe`, { headers: bearer(READER) })).json()).toMatchObject({
      reasons: ['visits/0 is restoring'],
    });
  });
});

describe('[H2] what a stranger gets', () => {
  test('[H2] no body of his is read, whatever he asks for', async () => {
    const { address } = await guarded(admitting());
    const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"no JSON' };
    const status = async (path: string): Promise<number> => (await fetch(`${address}${path}`, asked)).status;
    expect([await status('/look'), await status('/nowhere')]).toEqual([401, 404]);
  });

  test('[H2] an open route that fails tells him no reason', async () => {
    const server = Fastify();
    const log = { info: () => undefined, warn: () => undefined };
    const limits = { perSecondMax: 100, connectionsMax: 100 };
    addGuard(server, {
      roles: { 'GET /probe': 'open' },
      admitting: admitting(),
      hosts: [],
      ...limits,
      clock: { monotonicMs: () => 0 },
      log,
    });
    server.get('/probe', () => {
      throw new Error('topic payments at broker-7:9092 cannot be read');
    });
    const { statusCode, body } = await server.inject('/probe');
    expect([statusCode, body]).toEqual([500, '{"ok":false}']);
    const headers = bearer(READER);
    expect((await server.inject({ url: '/probe', headers })).body).toContain('payments');
  });
});

describe('[H7] pages in browsers', () => {
  test.each([
    ['its origin', { origin: 'http://elsewhere.example' }],
    ['no origin that it would say', { origin: 'null' }],
    ['its relation to us', { 'sec-fetch-site': 'cross-site' }],
    ['its relation to us, on the same machine', { 'sec-fetch-site': 'same-site' }],
  ])('[H7] do not act, by %s', async (_how, headers) => {
    const { address, run } = await guarded(undefined);
    const answer = await fetch(`${address}/act/k`, { method: 'POST', headers });
    expect([answer.status, run]).toEqual([403, []]);
  });

  test('[H7] act where they are our own: the browser says so, and names no other', async () => {
    const { address, run } = await guarded(undefined);
    const act = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`${address}/act/k`, { method: 'POST', headers })).status;
    const own = { origin: address, 'sec-fetch-site': 'same-origin' };
    for (const foreign of [{ origin: 'http://127.0.0.1:1' }, { 'sec-fetch-site': 'same-site' }, { origin: 'null' }])
      expect([foreign, await act({ ...own, ...foreign })]).toEqual([foreign, 403]);
    expect([await act({ origin: address }), await act({ 'sec-fetch-site': 'same-origin' }), run]).toEqual([
      403,
      403,
      [],
    ]);
    expect([await act(own), run.length]).toEqual([202, 1]);
  });

  test('[H7] a body that a page could send unasked is not taken', async () => {
    const { address, run } = await guarded(undefined);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const headers = { 'content-type': type };
      const { status } = await fetch(`${address}/act/k`, { method: 'POST', headers, body: '{}' });
      expect([type, status, run]).toEqual([type, 415, []]);
    }
  });

  test('[H7] no answer may be read by a page of another origin, or be taken for something else', async () => {
    const { address } = await guarded(undefined);
    const asked = { origin: 'http://elsewhere.example' };
    for (const [method, path] of [
      ['GET', '/look'],
      ['OPTIONS', '/look'],
      ['GET', '/none'],
    ] as const) {
      const { headers } = await fetch(`${address}${path}`, { method, headers: asked });
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('set-cookie')).toBeNull();
    }
  });

  test.each([
    ['127.0.0.1:7070', 200],
    ['[::1]:7070', 200],
    ['localhost', 200],
    ['flatline.localhost:7070', 200],
    ['flatline.shop.svc:7070', 200],
    ['evil.example:7070', 421],
    ['127.0.0.1.evil.example', 421],
  ])('[H7] a port without tokens answers to the name %s with %i', async (host, code) => {
    const { port, run } = await guarded(undefined, { hosts: ['flatline.shop.svc'] });
    const answer = await sent(port, `GET /look HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${code} `));
    expect(run).toHaveLength(code === 200 ? 1 : 0);
  });
});

describe('[H6] acts', () => {
  test('[H6] each has its line: who, what, outcome, and nothing that is secret', async () => {
    const { address, log } = await guarded(admitting());
    await fetch(`${address}/act/k%0A1?token=${ADMIN}`, { method: 'POST', headers: bearer(ADMIN) });
    await fetch(`${address}/act/k`, { method: 'POST', headers: bearer(READER) });
    await fetch(`${address}/act/k`, { method: 'POST' });
    await fetch(`${address}/look`, { headers: bearer(ADMIN) });
    expect(log).toMatchObject([
      {
        level: 'info',
        message: 'audit: act',
        facts: { who: 'ops', act: 'POST /act/k%0A1', outcome: 'done', status: 202 },
      },
      { level: 'warn', message: 'audit: act refused', facts: { who: 'prometheus', act: 'POST /act/k', status: 403 } },
      { level: 'warn', message: 'audit: act refused', facts: { who: 'unknown', act: 'POST /act/k', status: 401 } },
    ]);
    for (const token of [ADMIN, READER]) expect(JSON.stringify(log)).not.toContain(token);
  });

  test('[H6] one whose body is refused has its line, too', async () => {
    const { address, log } = await guarded(admitting());
    const headers = { ...bearer(ADMIN), 'content-type': 'application/json' };
    await fetch(`${address}/act/k`, { method: 'POST', headers, body: '{' });
    expect(log).toMatchObject([{ facts: { who: 'ops', outcome: 'refused', status: 400 } }]);
  });
});

describe('[H5] how much may be asked', () => {
  const clock = { monotonicMs: () => 0 };

  test('[H5] of one caller, on all of his connections, a second', async () => {
    let nowMs = 0;
    const { address } = await guarded(admitting(), { perSecondMax: 3, clock: { monotonicMs: () => nowMs } });
    const headers = { ...bearer(READER), connection: 'close' };
    const ask = async (): Promise<number> => (await fetch(`${address}/look`, { headers })).status;
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual([200, 200, 200, 429]);
    expect((await fetch(`${address}/look`, { headers: { ...bearer(ADMIN), connection: 'close' } })).status).toBe(200);
    nowMs = 1_000;
    expect(await ask()).toBe(200);
  });

  test('[H5] on one connection, whoever asks, also for what is not there', async () => {
    const { port } = await guarded(admitting(), { perSecondMax: 2, clock });
    const one = 'GET /none HTTP/1.1\r\nHost: x\r\n\r\n';
    const last = 'GET /none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    expect(codes(await sent(port, one + one + last, false))).toEqual([404, 404, 429]);
  });

  test('[H5] whoever is refused again and again on one connection loses it', async () => {
    const { port } = await guarded(admitting());
    const answers = codes(await sent(port, 'GET /look HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(40), false));
    expect(answers).toEqual(Array.from({ length: 10 }, () => 401));
  });

  test('[H5] one connection more than there may be has the stranger go that came first, and no caller', async () => {
    const { address, port } = await guarded(admitting(), { connectionsMax: 10 });
    const caller = await connected(port);
    const answered = once(caller, 'data');
    caller.write(`GET /look HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${READER}\r\n\r\n`);
    await answered;
    const first = await connected(port);
    const gone = closeOf(first);
    const others = await Promise.all(Array.from({ length: 9 }, () => connected(port)));
    await gone;
    expect([caller, ...others].filter(({ closed }) => closed)).toEqual([]);
    // And one that comes now gets its answer, in the place of the next stranger.
    expect((await fetch(`${address}/look`, { headers: { ...bearer(ADMIN), connection: 'close' } })).status).toBe(200);
    for (const socket of [caller, ...others]) socket.destroy();
  });

  test('[H5] whatever callers hold, a probe is answered', async () => {
    const { port } = await guarded(admitting(), { connectionsMax: 16 });
    for (let i = 0; i < 16; i += 1) {
      const caller = await connected(port);
      const answered = once(caller, 'data');
      caller.write(`GET /look HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${READER}\r\n\r\n`);
      await answered;
    }
    expect(codes(await sent(port, 'GET /probe HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'))).toEqual([200]);
  });
});

function codes(answers: string): number[] {
  return [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, code]) => Number(code));
}
