// F20: roles and endpoints as a matrix, made of the table of routes itself.
import { expect, test } from '@jest/globals';
import { accessTokenHash, newAccessToken } from '@flatline/system';
import { openHttpServer } from './http-server.ts';
import { NO_PUSH, pipeline, unprotected, wholeOf, NOW } from './http.fixture.ts';
import type { Observed } from './observed.ts';
import { ROUTE_ROLES } from './route-roles.ts';

const READER = newAccessToken();
const ADMIN = newAccessToken();
const GROUP = newAccessToken();
const CALLERS = {
  tokenless: undefined,
  stranger: newAccessToken(),
  group: GROUP,
  reader: READER,
  admin: ADMIN,
} as const;
type Who = keyof typeof CALLERS;

/** Each caller's rights: 401 where he has no role, 403 where it is another. */
const REFUSED: Readonly<Record<'open' | 'read' | 'admin', Readonly<Record<Who, 401 | 403 | undefined>>>> = {
  open: { tokenless: undefined, stranger: undefined, group: undefined, reader: undefined, admin: undefined },
  read: { tokenless: 401, stranger: 401, group: undefined, reader: undefined, admin: undefined },
  admin: { tokenless: 401, stranger: 401, group: 403, reader: 403, admin: undefined },
};

/** A processor that notes whatever a route asks of it. */
function observed(asked: string[]): Observed {
  const note = <T>(what: string, value: T): T => {
    asked.push(what);
    return value;
  };
  return {
    instance: 'a',
    version: '1',
    application: 'shop',
    wallNow: NOW,
    pipelines: () => note('pipelines', [pipeline({})]),
    hasStarted: true,
    lookUpFill: 0,
    deliveries: () => [],
    isStopping: false,
    restart: () => note('restart', 'restarted' as const),
    lookUp: () => note('lookUp', Promise.resolve(undefined)),
    page: () => note('page', Promise.resolve(undefined)),
    act: () => note('act', Promise.resolve(undefined)),
    endpoint: '',
  };
}

/** Who watches has the processor looked at until the connection ends: it comes last, so that no other route seems to. */
const WATCH = 'GET /api/v1/watch';
const named = Object.entries(ROUTE_ROLES).sort(([a], [b]) => Number(a === WATCH) - Number(b === WATCH));
const routes = named.map(([name, role]) => {
  const [method = '', path = ''] = name.split(' ');
  return {
    method,
    path: path
      .replace(':pipeline', 'visits')
      .replace(':partition', '0')
      .replace(/:[a-z]+/gi, 'YQ'),
    role,
  };
});

test('[H2][F20] of every route and every caller: who may not ask has nothing asked of the processor', async () => {
  const asked: string[] = [];
  const tokens = [
    { name: 'reader', role: 'read', hash: accessTokenHash(READER) },
    { name: 'admin', role: 'admin', hash: accessTokenHash(ADMIN) },
  ] as const;
  const secrets = () => ({ certificate: undefined, tokens, group: GROUP });
  const protection = { tls: undefined, caFile: undefined, auth: { oidc: undefined }, secrets };
  const server = await openHttpServer(unprotected({ protection }), wholeOf(observed(asked)), NO_PUSH);
  try {
    for (const { method, path, role } of routes)
      for (const who of Object.keys(CALLERS) as Who[])
        for (const asks of method === 'GET' ? ['GET', 'HEAD'] : [method]) {
          asked.length = 0;
          const token = CALLERS[who];
          const { status } = await fetch(`${server.address}${path}`, {
            method: asks,
            headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
          });
          const refused = REFUSED[role][who];
          const seen = { asks, path, who, status: status === 401 || status === 403 ? status : undefined };
          expect(seen).toEqual({ asks, path, who, status: refused });
          if (refused !== undefined) expect({ path, who, asked }).toEqual({ path, who, asked: [] });
        }
  } finally {
    await server.close();
  }
});

test('[H2] the table names no route that there is not', async () => {
  const server = await openHttpServer(unprotected({}), wholeOf(observed([])), NO_PUSH);
  try {
    for (const { method, path } of routes) {
      const answer = await fetch(`${server.address}${path}`, { method });
      // A watch goes on until the connection ends.
      const first: { readonly value?: Uint8Array } = (await answer.body?.getReader().read()) ?? {};
      expect({ path, text: Buffer.from(first.value ?? []).toString() }).not.toMatchObject({
        text: expect.stringContaining(`"no ${method} `),
      });
    }
  } finally {
    await server.close();
  }
});
