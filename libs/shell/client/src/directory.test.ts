import { Misconfigured, partitionOf, Retriable } from '@flatline/base';
import { afterEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { directory } from './directory.ts';

const PARTITIONS = 2;
const servers: Server[] = [];
/** Addresses that were asked for keys, in their order. */
const asked: string[] = [];
afterEach(() => {
  asked.length = 0;
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** An instance that answers all that it is asked, or nothing of keys. */
async function instance(
  name: string,
  answers: boolean,
  owners: () => readonly string[],
  nameOf: (endpoint: string) => string = (endpoint) => endpoint,
): Promise<string> {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    void (async () => {
      if (request.url!.startsWith('/api/v1/owners/')) {
        const partitions = owners().map((endpoint, partition) => ({
          partition,
          owner: { name: nameOf(endpoint), endpoint },
          standbys: [],
        }));
        response.end(JSON.stringify({ partitionCount: PARTITIONS, partitions }));
      } else if (answers) {
        asked.push(`http://${request.headers.host!}`);
        const { keys } = (await json(request)) as { readonly keys: readonly { readonly base64: string }[] };
        const entries = keys.map(({ base64 }) => {
          const key = Buffer.from(base64, 'base64');
          return { key: key.toString(), state: 'none', owner: name, partition: partitionOf(key, PARTITIONS) };
        });
        response.end(JSON.stringify({ entries }));
      }
    })();
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('[Q1] keys asked for at the same time: an instance that does not answer keeps no one waiting who asks for what others have', async () => {
  const endpoints: string[] = [];
  const owners = (): readonly string[] => endpoints;
  endpoints.push(await instance('a', true, owners), await instance('b', false, owners));
  const keys = ['anna', 'bert', 'cleo', 'dora', 'emil'];
  const [answered, unanswered] = [0, 1].map((of) =>
    keys.find((key) => partitionOf(Buffer.from(key), PARTITIONS) === of)!,
  );
  // The test would end before it.
  const visits = directory({ urls: [endpoints[0]!], pipeline: 'visits', timeoutMs: 600_000 });
  const hanging = visits.get(unanswered!);
  hanging.catch(() => undefined);
  expect(await visits.get(answered!)).toMatchObject({ key: answered, state: 'none' });
});

test('[Q1] an instance that does not answer is waited for once; then others are asked, and it is tried beside', async () => {
  const endpoints: string[] = [];
  const owners = (): readonly string[] => endpoints;
  const still = await instance('b', false, owners);
  endpoints.push(still, still);
  const other = await instance('c', true, owners);
  // Each question that waits for it would take so long.
  const visits = directory({ urls: [other], pipeline: 'visits', timeoutMs: 300 });
  for (let times = 0; times < 40; times += 1) expect(await visits.get('anna')).toMatchObject({ owner: 'c' });
}, 5_000);

test('[Q1] an owner of the same name that answers at another address by now is found, though another answers in its stead', async () => {
  const endpoints: string[] = [];
  const owners = (): readonly string[] => endpoints;
  const nameOf = (): string => 'a';
  const other = await instance('a', true, owners, nameOf);
  endpoints.push('http://127.0.0.1:9', 'http://127.0.0.1:9');
  const visits = directory({ urls: [other], pipeline: 'visits' });
  await visits.get('anna');
  const again = await instance('a', true, owners, nameOf);
  endpoints.fill(again);
  // A map is kept for a second.
  while (!asked.includes(again)) await visits.get('anna');
}, 5_000);

test('[I4] a key that is none is refused, and says what to give', async () => {
  const visits = directory({ urls: ['http://127.0.0.1:9'], pipeline: 'visits' });
  await expect((async () => visits.get(5 as unknown as string))()).rejects.toThrow('the key is 5: give text or bytes');
  await expect((async () => visits.end(undefined as unknown as string))()).rejects.toThrow(
    'the key is undefined: give',
  );
  await expect(visits.getAll('abc' as unknown as string[])).rejects.toThrow(
    'getAll: keys is abc: give an array of keys',
  );
});

test('[I4] what an instance refuses is misconfigured here, and is asked of no other', async () => {
  const server = createServer((request, response) => {
    asked.push(request.url!);
    response.writeHead(400).end(JSON.stringify({ error: 'there is no pipeline nope here: visits' }));
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const nope = directory({ urls: [url, url], pipeline: 'nope' });
  await expect(nope.get('anna')).rejects.toBeInstanceOf(Misconfigured);
  await expect(nope.release('anna')).rejects.toThrow(/there is no pipeline nope here/);
  await expect(nope.release('anna')).rejects.toBeInstanceOf(Misconfigured);
  expect(asked).toHaveLength(3);
});

test('[Q4] an act whose outcome is not known is asked for once, at no other instance, and says so', async () => {
  const urls: string[] = [];
  for (const name of ['a', 'b']) {
    const server = createServer((request, response) => {
      asked.push(name);
      request.resume();
      response.writeHead(503).end(JSON.stringify({ error: 'it may be in the log: look before you ask again' }));
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }
  await expect(directory({ urls, pipeline: 'visits' }).end('anna')).rejects.toThrow(Retriable);
  await expect(directory({ urls, pipeline: 'visits' }).end('anna')).rejects.toThrow('look before you ask again');
  expect(asked).toEqual(['a', 'a']);
});

test('[Q1] a directory without a pipeline is of the only one that the instances have', async () => {
  const listed = [{ name: 'visits' }, { name: 'visits.deliveries', deliveriesOf: 'visits' }];
  const url = await naming(() => listed);
  const visits = directory({ urls: [url] });
  expect(await visits.get('anna')).toMatchObject({ key: 'anna', state: 'none' });
  await visits.get('bert');
  expect(asked).toEqual(['/api/v1/pipelines', '/api/v1/owners/visits', LOOK_UP, LOOK_UP]);
});

test('[I4] a directory without a pipeline says which there are where there are several, and waits for one', async () => {
  let listed: readonly object[] = [{ name: 'visits' }, { name: 'carts' }];
  const url = await naming(() => listed);
  const visits = directory({ urls: [url] });
  await expect(visits.get('anna')).rejects.toThrow('directory: give pipeline');
  await expect(visits.end('anna')).rejects.toBeInstanceOf(Misconfigured);
  await expect(visits.watch('anna')[Symbol.asyncIterator]().next()).rejects.toThrow('visits, carts');
  listed = [];
  await expect(visits.list()).rejects.toBeInstanceOf(Retriable);
  listed = [{ name: 'visits' }];
  expect(await visits.get('anna')).toMatchObject({ state: 'none' });
});

test('[Q1] a directory without a pipeline goes by an instance that has joined its group, whichever is starting', async () => {
  let starting: readonly object[] = [];
  const urls = [await naming(() => starting), await naming(() => [{ name: 'visits', instances: ['b'] }])];
  expect(await directory({ urls }).get('anna')).toMatchObject({ state: 'none' });
  // The first of two that it is about to open.
  starting = [{ name: 'carts', instances: [] }];
  expect(await directory({ urls }).get('anna')).toMatchObject({ state: 'none' });
  await expect(directory({ urls: urls.slice(0, 1) }).get('anna')).rejects.toThrow('it has not joined its group yet');
  // Another version leads the group, and does not say who is in it.
  starting = [{ name: 'visits', instances: [], partitions: [3], standbys: [] }];
  expect(await directory({ urls: urls.slice(0, 1) }).get('anna')).toMatchObject({ state: 'none' });
});

test('[I4] a token whose file has a line end alone is none, and is not sent', async () => {
  const url = await naming(() => [{ name: 'visits', instances: ['a'] }]);
  const file = join(mkdtempSync(join(tmpdir(), 'flatline-token-')), 'token');
  writeFileSync(file, '\n');
  await expect(directory({ urls: [url], token: { file } }).get('anna')).rejects.toThrow(`${file}, which is empty`);
  expect(asked).toEqual([]);
});

test('[Q3] a watch without a pipeline ends at once, though its instances do not answer', async () => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ending = new AbortController();
  const changes = directory({ urls: [url], timeoutMs: 600_000 }).watch('anna', { signal: ending.signal });
  const next = changes[Symbol.asyncIterator]().next();
  await once(server, 'request');
  ending.abort();
  expect(await next).toMatchObject({ done: true });
});

const LOOK_UP = '/api/v1/entries/visits:lookup';

/** An instance that has these pipelines, and keeps the paths that it was asked for. */
async function naming(pipelines: () => readonly object[]): Promise<string> {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    void (async () => {
      asked.push(request.url!);
      if (request.url === '/api/v1/pipelines') response.end(JSON.stringify({ pipelines: pipelines() }));
      else if (request.url === LOOK_UP) {
        const { keys } = (await json(request)) as { readonly keys: readonly { readonly base64: string }[] };
        const entries = keys.map(({ base64 }) => ({
          key: Buffer.from(base64, 'base64').toString(),
          state: 'none',
          owner: 'a',
          partition: 0,
        }));
        response.end(JSON.stringify({ entries }));
      } else {
        const owner = { name: 'a', endpoint: `http://${request.headers.host!}` };
        response.end(JSON.stringify({ partitionCount: 1, partitions: [{ partition: 0, owner, standbys: [] }] }));
      }
    })();
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
