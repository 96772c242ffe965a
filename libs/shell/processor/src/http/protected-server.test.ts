// A port with TLS: its certificate while files are replaced, and instances that ask each other through it.
import { ManualClock } from '@flatline/base/manual-clock';
import type { HttpCertificate, HttpConfig, HttpSecrets } from '@flatline/config';
import { issueCertificate, makeAuthority } from '@flatline/dev-broker';
import { accessTokenHash, HttpAsker, newAccessToken } from '@flatline/system';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import type { Asking, HereAnswers } from '../directory/here.ts';
import { type HttpServer, openHttpServer } from './http-server.ts';
import { NO_PUSH, NOW, pipeline, SILENT, unprotected, wholeOf } from './http.fixture.ts';

const ADMIN = newAccessToken();
const GROUP = newAccessToken();
const tokens = [{ name: 'ops', role: 'admin', hash: accessTokenHash(ADMIN) }] as const;

interface Certificates {
  readonly ca: string;
  readonly first: HttpCertificate;
  readonly second: HttpCertificate;
  /** Signed by the same authority, for a client that is no instance. */
  readonly client: HttpCertificate;
}
let made: Certificates;
beforeAll(() => {
  const now = Date.now();
  const authority = makeAuthority(now);
  const issued = (commonName: string, forLoopback: boolean): HttpCertificate => {
    const { key, certificate } = issueCertificate(authority, { commonName, forLoopback, isPeer: true }, now);
    return { key, cert: certificate, ca: authority.certificate };
  };
  made = {
    ca: authority.certificate,
    first: issued('first', true),
    second: issued('second', true),
    client: issued('somebody', false),
  };
});

const open: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

interface Instance {
  readonly server: HttpServer;
  readonly clock: ManualClock;
  readonly asked: Asking[];
  readonly log: string[];
}

/** `told`: where the group says that instances are. */
async function instance(secrets: () => HttpSecrets, told: () => readonly string[] = () => []): Promise<Instance> {
  const clock = new ManualClock();
  const asked: Asking[] = [];
  const log: string[] = [];
  const lookUp = (asking: Asking): Promise<HereAnswers> => {
    asked.push(asking);
    const none = { kind: 'found', entries: [], asOf: { clock: 5, position: 7 }, from: 'owner' } as const;
    const answers = asking.keys.map(() => ({ ...none, partition: 0, owner: undefined, standbys: [] }));
    return Promise.resolve({ kind: 'session', group: 'shop.visits', instance: 'a', answers });
  };
  const observed = {
    instance: 'a',
    version: '1',
    application: 'shop',
    wallNow: NOW,
    pipelines: () => [
      pipeline({ instances: told().map((endpoint) => ({ name: 'i', endpoint, partitions: [0], standbys: [] })) }),
    ],
    hasStarted: true,
    lookUpFill: 0,
    deliveries: () => [],
    isStopping: false,
    restart: () => 'absent' as const,
    lookUp,
    page: () => Promise.resolve(undefined),
    act: () => Promise.resolve(undefined),
    endpoint: '',
  };
  const isHere = secrets().certificate !== undefined;
  const protection: HttpConfig['protection'] = {
    tls: isHere ? 'here' : undefined,
    caFile: undefined,
    auth: { oidc: undefined },
    secrets,
  };
  const note = (message: string, facts?: object): void => {
    log.push(`${message} ${JSON.stringify(facts)}`);
  };
  const server = await openHttpServer(unprotected({ protection }), wholeOf(observed), {
    ...NO_PUSH,
    clock,
    log: {
      ...SILENT,
      info: note,
      warn: note,
    },
  });
  open.push(server);
  return { server, clock, asked, log };
}

async function tlsTo(address: string, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ port: Number(new URL(address).port), host: '127.0.0.1', ca: made.ca, ...options });
  await once(socket, 'secureConnect');
  return socket;
}

const REREAD_MS = 5_000;
const named = (socket: TLSSocket): unknown => socket.getPeerCertificate().subject.CN;

describe('[H1] the certificate', () => {
  test('[H1] is replaced while the port is open: what stands goes on, what comes gets the new one', async () => {
    let certificate = made.first;
    const { server, clock, log } = await instance(() => ({ certificate, tokens, group: undefined }));
    const standing = await tlsTo(server.address);
    expect(named(standing)).toBe('first');
    certificate = made.second;
    clock.advance(REREAD_MS);
    const next = await tlsTo(server.address);
    expect(named(next)).toBe('second');
    standing.write(`GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ADMIN}\r\n\r\n`);
    const [answer] = (await once(standing, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
    expect(log).toEqual(['HTTP has another certificate undefined']);
    standing.destroy();
    next.destroy();
  });

  test('[H1] stays what it was where the files do not go together, and is told of until they do', async () => {
    let certificate = made.first;
    const { server, clock, log } = await instance(() => ({ certificate, tokens, group: undefined }));
    certificate = { ...made.second, key: made.first.key };
    clock.advance(REREAD_MS);
    clock.advance(REREAD_MS);
    expect(log).toHaveLength(2);
    expect(log[0]).toMatch(/stay what they were .*http\.tls cannot be used/);
    const socket = await tlsTo(server.address);
    expect(named(socket)).toBe('first');
    socket.destroy();
    certificate = made.second;
    clock.advance(REREAD_MS);
    const next = await tlsTo(server.address);
    expect(named(next)).toBe('second');
    next.destroy();
  });

  test('[H1] that is none for its key keeps the port from opening, and names the setting', async () => {
    const certificate = { ...made.second, key: made.first.key };
    await expect(instance(() => ({ certificate, tokens, group: undefined }))).rejects.toMatchObject({
      name: 'Misconfigured',
      message: expect.stringMatching(/^http\.tls cannot be used/),
    });
  });

  test('[H3] tokens are replaced likewise', async () => {
    const another = newAccessToken();
    let known: HttpSecrets['tokens'] = tokens;
    const { server, clock } = await instance(() => ({ certificate: undefined, tokens: known, group: undefined }));
    const ask = async (token: string): Promise<number> =>
      (await fetch(`${server.address}/metrics`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect([await ask(ADMIN), await ask(another)]).toEqual([200, 401]);
    known = [{ name: 'other', role: 'read', hash: accessTokenHash(another) }];
    clock.advance(REREAD_MS);
    expect([await ask(ADMIN), await ask(another)]).toEqual([401, 200]);
  });
});

describe('[H4] another instance of the group', () => {
  const asking: Asking = { pipeline: 'visits', keys: [Buffer.from('k')], isNow: false };

  test('[H4] is known by its certificate, for an address that the group tells', async () => {
    const told: string[] = [];
    const a = await instance(
      () => ({ certificate: made.first, tokens, group: undefined }),
      () => told,
    );
    const b = await instance(
      () => ({ certificate: made.second, tokens, group: undefined }),
      () => told,
    );
    // Before the group tells of it, its certificate is a stranger's.
    await expect(a.server.there(b.server.address, 'shop.visits', asking)).rejects.toThrow('HTTP 401');
    told.push(a.server.address, b.server.address);
    expect(await a.server.there(b.server.address, 'shop.visits', asking)).toMatchObject([{ state: 'none' }]);
    expect(b.asked).toHaveLength(1);
  });

  test('[H4] is not whoever has some certificate of the same authority, and may not act', async () => {
    const told: string[] = [];
    const b = await instance(
      () => ({ certificate: made.second, tokens, group: undefined }),
      () => told,
    );
    told.push(b.server.address);
    const ask = async (
      certificate: HttpCertificate | undefined,
      path: string,
      method: 'GET' | 'POST',
    ): Promise<number> =>
      (
        await new HttpAsker({ ca: made.ca, ...certificate }).ask(`${b.server.address}${path}`, {
          method,
          withinMs: 5_000,
        })
      ).status;
    expect(await ask(undefined, '/metrics', 'GET')).toBe(401);
    expect(await ask(made.client, '/metrics', 'GET')).toBe(401);
    expect(await ask(made.first, '/metrics', 'GET')).toBe(200);
    expect(await ask(made.first, '/api/v1/partitions/visits/0/restart', 'POST')).toBe(403);
  });

  test('[H4] is not whoever resumes a session of TLS without showing a certificate', async () => {
    const told: string[] = [];
    const b = await instance(
      () => ({ certificate: made.second, tokens, group: undefined }),
      () => told,
    );
    told.push(b.server.address);
    const first = await tlsTo(b.server.address);
    const [session] = (await once(first.resume(), 'session')) as [Buffer];
    first.destroy();
    const again = await tlsTo(b.server.address, { session });
    expect(again.isSessionReused()).toBe(true);
    again.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
    const [answer] = (await once(again, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /);
    again.destroy();
  });

  test("[H4] is known by the group's token, too, which goes to no address without TLS where there is TLS here", async () => {
    const a = await instance(() => ({ certificate: { ...made.first }, tokens, group: GROUP }));
    const b = await instance(() => ({ certificate: undefined, tokens, group: GROUP }));
    await expect(a.server.there(b.server.address, 'shop.visits', asking)).rejects.toThrow('without TLS');
    const c = await instance(() => ({ certificate: undefined, tokens, group: GROUP }));
    expect(await c.server.there(b.server.address, 'shop.visits', asking)).toMatchObject([{ state: 'none' }]);
    const d = await instance(() => ({ certificate: undefined, tokens, group: newAccessToken() }));
    await expect(d.server.there(b.server.address, 'shop.visits', asking)).rejects.toThrow('http.auth.group');
  });

  test('[H4] has to show a certificate itself before it is asked anything', async () => {
    const authority = makeAuthority(Date.now());
    const { key, certificate } = issueCertificate(
      authority,
      { commonName: 'x', forLoopback: true, isPeer: true },
      Date.now(),
    );
    const a = await instance(() => ({ certificate: made.first, tokens, group: GROUP }));
    const b = await instance(() => ({ certificate: { key, cert: certificate }, tokens, group: GROUP }));
    await expect(a.server.there(b.server.address, 'shop.visits', asking)).rejects.toThrow(/certificate/);
    expect(b.asked).toEqual([]);
  });
});
