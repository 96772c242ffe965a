// Defects of @kafkajs/confluent-schema-registry as it comes, which registry-client.ts works around (ADR 9). If one of these fails,
// the package was mended: the workaround can go.
import { execFile } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry';
import { EVENT_SCHEMA } from '../events/event-formats.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});

async function hostOf(answering: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answering);
  servers.push(server);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const schema = { type: SchemaType.AVRO, schema: EVENT_SCHEMA.text } as const;
const SUBJECT = 'visits-value';

describe('@kafkajs/confluent-schema-registry 4.1.0', () => {
  test('refuses a subject whose compatibility is not the one it is told', async () => {
    const host = await hostOf((_request, response) => response.end('{"compatibilityLevel":"FULL"}'));
    await expect(new SchemaRegistry({ host }).register(schema, { subject: SUBJECT })).rejects.toThrow(
      'BACKWARD != FULL',
    );
  });

  test('sets the compatibility of a subject that has none', async () => {
    const requests: string[] = [];
    const host = await hostOf((request, response) => {
      requests.push(`${request.method!} ${request.url!}`);
      response.writeHead(requests.length === 1 ? 404 : 200).end('{"id":1}');
    });
    await new SchemaRegistry({ host }).register(schema, { subject: SUBJECT });
    expect(requests.at(-1)).toBe('PUT /config/visits-value');
  });

  test('drops what tells an unknown schema from a wrong address', async () => {
    const host = await hostOf((_request, response) => {
      response.writeHead(404).end('{"error_code":40403,"message":"Schema not found"}');
    });
    const found = await new SchemaRegistry({ host }).getSchema(1).catch((error: unknown) => error);
    expect(found).toMatchObject({ status: 404 });
    expect(JSON.stringify({ ...(found as object), message: (found as Error).message })).not.toContain('40403');
  });

  test('lets the client made last say how often all others try again', async () => {
    let requests = 0;
    const host = await hostOf((_request, response) => {
      requests += 1;
      response.writeHead(503).end('{}');
    });
    const client = new SchemaRegistry({ host, retry: { retries: 0 } });
    new SchemaRegistry({ host, retry: { retries: 1, initialRetryTimeInSecs: 0 } });
    await expect(client.getSchema(1)).rejects.toThrow();
    expect(requests).toBe(2);
  });

  test('ends the process on an error whose body is null', async () => {
    const host = await hostOf((_request, response) => response.writeHead(400).end('null'));
    const program = `const { SchemaRegistry } = require('@kafkajs/confluent-schema-registry');
      new SchemaRegistry({ host: '${host}' }).getSchema(1).catch(() => undefined);`;
    const cwd = fileURLToPath(new URL('../..', import.meta.url));
    const ended = new Promise((resolve) => {
      execFile(process.execPath, ['-e', program], { cwd }, (error, _output, errors) => {
        resolve({ code: error?.code, errors });
      });
    });
    expect(await ended).toEqual({ code: 1, errors: expect.stringContaining('Cannot read properties of null') });
  });
});
