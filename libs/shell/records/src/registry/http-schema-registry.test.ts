// The registry's answers that a healthy one does not give, from a server that gives them on purpose; the healthy ones are
// in schema-registry.test.ts, from a real registry.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Fatal, Retriable } from '@flatline/base';
import { EVENT_SCHEMA } from '../events/event-formats.ts';
import { REGISTRY_ANSWER_BYTES_MAX, REGISTRY_TIMEOUT_MS } from '../limits.ts';
import { ManualClock } from '@flatline/base/manual-clock';
import { HttpSchemaRegistry } from './http-schema-registry.ts';

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});

async function listening(answering: Answering): Promise<number> {
  const server = createServer(answering);
  servers.push(server);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return (server.address() as AddressInfo).port;
}

async function registryOf(
  answering: Answering,
  retries = 0,
): Promise<{ registry: HttpSchemaRegistry; clock: ManualClock }> {
  const clock = new ManualClock();
  const url = `http://127.0.0.1:${await listening(answering)}/api/`;
  return { registry: new HttpSchemaRegistry({ url, clock, retries }), clock };
}

function always(status: number, body: unknown): Answering {
  return (_request, response) => {
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

describe('schemaById', () => {
  test('a registry that does not answer in time is Retriable', async () => {
    let asked: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const { registry, clock } = await registryOf(() => {
      asked();
    });
    const answer = registry.schemaById(1);
    await reached;
    clock.advance(REGISTRY_TIMEOUT_MS);
    await expect(answer).rejects.toThrow(`cannot be reached (no answer within ${REGISTRY_TIMEOUT_MS} ms)`);
    await expect(answer).rejects.toBeInstanceOf(Retriable);
  });

  test.each<[string, Answering]>([
    ['and does not end', (_request, response) => response.writeHead(200).write('{')],
    [
      'and breaks off',
      (_request, response) => response.writeHead(200, { 'content-length': 9 }).write('{', () => response.destroy()),
    ],
  ])('an answer that begins %s is given up at the time limit', async (_how, answering) => {
    let asked: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const { registry, clock } = await registryOf((request, response) => {
      answering(request, response);
      asked();
    });
    const answer = registry.schemaById(1);
    await reached;
    clock.advance(REGISTRY_TIMEOUT_MS);
    await expect(answer).rejects.toBeInstanceOf(Retriable);
  });

  test('an answered request leaves no timer behind', async () => {
    const { registry, clock } = await registryOf(always(200, { schema: 'S' }));
    expect(await registry.schemaById(1)).toEqual({ schema: 'S', schemaType: 'AVRO' });
    expect(clock.pending).toBe(0);
  });

  test.each<[string, number, unknown]>([
    ['overloaded', 503, 'later'],
    ['out of patience', 429, {}],
    ['asking for a password', 401, { message: 'who?' }],
    ['at another address: a 404 that is not about schemas', 404, '<html>'],
    ['no registry', 200, '<html>'],
    ['an array', 200, []],
    ['null', 200, 'null'],
    ['refusing with null', 400, 'null'],
    ['down with null', 503, 'null'],
    ['too talkative', 200, { schema: 'x'.repeat(REGISTRY_ANSWER_BYTES_MAX) }],
  ])('is Retriable where the registry is %s, and the message says where it is', async (_what, status, body) => {
    const { registry } = await registryOf(always(status, body));
    const answer = registry.schemaById(5);
    await expect(answer).rejects.toBeInstanceOf(Retriable);
    await expect(answer).rejects.toThrow(registry.name);
    await expect(answer).rejects.toThrow('SCHEMA_REGISTRY_URL');
  });

  test('an answer without an end is cut off', async () => {
    const { registry } = await registryOf((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response
        .writeHead(200)
        .on('drain', more)
        .on('error', () => undefined);
      more();
    });
    await expect(registry.schemaById(5)).rejects.toBeInstanceOf(Retriable);
  });

  test('only the registry itself can say that it does not know the id', async () => {
    const { registry } = await registryOf(always(404, { error_code: 40403, message: 'Schema 5 not found' }));
    expect(await registry.schemaById(5)).toBeUndefined();
  });
});

describe('schemaId and check', () => {
  test('what may pass is asked again, registrations too, as often as configured', async () => {
    const requests: string[] = [];
    const { registry } = await registryOf((request, response) => {
      requests.push(`${request.method!} ${request.url!}`);
      const failing = requests.length % 2 === 1;
      if (failing) always(503, 'null')(request, response);
      else if (request.url!.endsWith('/versions')) always(200, { id: 12 })(request, response);
      else always(404, { error_code: 40401 })(request, response);
    }, 1);
    expect(await registry.schemaId('visits-value', EVENT_SCHEMA.text)).toBe(12);
    const once = [
      'POST /api/subjects/visits-value',
      'GET /api/config/visits-value',
      'POST /api/subjects/visits-value/versions',
    ];
    expect(requests).toEqual([...once.slice(0, 2), ...once.slice(1)].flatMap((each) => [each, each]));
  });

  test('registers under the compatibility that the subject has, and sets none', async () => {
    const requests: string[] = [];
    const { registry } = await registryOf((request, response) => {
      requests.push(`${request.method!} ${request.url!}`);
      if (request.url!.includes('/config/')) always(200, { compatibilityLevel: 'full_transitive' })(request, response);
      else if (request.url!.endsWith('/versions')) always(200, { id: 12 })(request, response);
      else always(404, { error_code: 40401 })(request, response);
    });
    expect(await registry.schemaId('visits-value', EVENT_SCHEMA.text)).toBe(12);
    expect(requests.filter((each) => each.startsWith('PUT'))).toEqual([]);
  });

  test('a subject that our schema does not fit is Fatal, with the way out', async () => {
    const { registry } = await registryOf((request, response) => {
      const found = request.url!.endsWith('/versions');
      always(found ? 409 : 404, { error_code: found ? 409 : 40403, message: 'incompatible' })(request, response);
    });
    const answer = registry.schemaId('visits-value', EVENT_SCHEMA.text);
    await expect(answer).rejects.toBeInstanceOf(Fatal);
    await expect(answer).rejects.toThrow(/visits-value.*Give the output another topic/);
  });

  test('a registry that forbids is Fatal', async () => {
    const { registry } = await registryOf(always(403, { message: 'no' }));
    await expect(registry.schemaId('visits-value', '{}')).rejects.toThrow('Put a user and password');
    await expect(registry.check()).rejects.toBeInstanceOf(Fatal);
  });

  test('an address that refuses connections: what, where, and what to do', async () => {
    const port = await listening(() => undefined);
    const server = servers.pop()!;
    await new Promise((closed) => server.close(closed));
    const registry = new HttpSchemaRegistry({ url: `http://127.0.0.1:${port}`, clock: new ManualClock(), retries: 0 });
    await expect(registry.check()).rejects.toThrow(
      `The schema registry at http://127.0.0.1:${port} cannot be reached (ECONNREFUSED). Start it, or correct SCHEMA_REGISTRY_URL.`,
    );
    await expect(registry.check()).rejects.toBeInstanceOf(Retriable);
  });

  test('an address from a configuration file: the setting that says it', async () => {
    const url = `http://127.0.0.1:${await listening(always(403, {}))}`;
    const setting = 'schemaRegistryUrl';
    const registry = new HttpSchemaRegistry({ url, clock: new ManualClock(), retries: 0, setting });
    await expect(registry.check()).rejects.toThrow('Put a user and password it accepts into schemaRegistryAuth.');
    servers.splice(0).forEach((server) => server.close());
    await expect(registry.check()).rejects.toThrow('Start it, or correct schemaRegistryUrl.');
  });

  test('subjects are escaped, the schema goes as it is', async () => {
    const requests: string[] = [];
    const { registry } = await registryOf((request, response) => {
      requests.push(`${request.method!} ${request.url!}`);
      always(200, { id: 12 })(request, response);
    });
    expect(await registry.schemaId('a/b?-value', '{}')).toBe(12);
    expect(requests).toEqual(['POST /api/subjects/a%2Fb%3F-value']);
  });
});

describe('the address', () => {
  test.each(['', 'localhost:8081', 'ftp://x', '/path', 'http://u:100%@x'])('%j is refused at once', (url) => {
    expect(() => new HttpSchemaRegistry({ url, clock: new ManualClock() })).toThrow(
      'SCHEMA_REGISTRY_URL is not an address',
    );
  });

  test('a user and password are sent, and never shown', async () => {
    let sent: string | undefined;
    const port = await listening((request, response) => {
      sent = request.headers.authorization;
      always(401, {})(request, response);
    });
    const registry = new HttpSchemaRegistry({
      url: `http://us%40er:s%C3%A9cret@127.0.0.1:${port}`,
      clock: new ManualClock(),
    });
    await expect(registry.check()).rejects.not.toThrow(/cret/);
    expect(registry.name).toBe(`http://127.0.0.1:${port}`);
    expect(sent).toBe(`Basic ${Buffer.from('us@er:sécret').toString('base64')}`);
  });

  test.each([
    ['', 'me:beside'],
    ['you:within@', 'you:within'],
  ])('with %j before the host, the credentials sent are %s', async (within, wanted) => {
    let sent: string | undefined;
    const port = await listening((request, response) => {
      sent = request.headers.authorization;
      always(401, {})(request, response);
    });
    const auth = { username: 'me', password: 'beside' };
    const registry = new HttpSchemaRegistry({
      url: `http://${within}127.0.0.1:${port}`,
      clock: new ManualClock(),
      auth,
    });
    await expect(registry.check()).rejects.toBeInstanceOf(Fatal);
    expect(sent).toBe(`Basic ${Buffer.from(wanted).toString('base64')}`);
  });
});
