import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { httpFindings } from './doctor-http.ts';

const said = { ready: false, reasons: ['visits/0 is restoring'], warnings: ['visits has refused 72 records'] };
let isOurs = true;
let asksToken = false;
const server = createServer((request, response) => {
  if (!isOurs) response.end('<html>');
  else if (request.url === '/livez') response.end(JSON.stringify({ live: true, silences: [] }));
  else if (asksToken && request.headers.authorization !== 'Bearer right')
    response.writeHead(request.headers.authorization === undefined ? 200 : 401).end('{"ready":true,"error":"no"}');
  else response.writeHead(503).end(JSON.stringify(said));
});
let port: number;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.close();
});

test('[I1][I9] doctor passes on why a running processor is not ready, and what it warns of', async () => {
  isOurs = true;
  expect(await httpFindings({ http: { host: '127.0.0.1', port } })).toEqual([
    { what: 'HTTP', outcome: 'ok', text: `a processor answers at http://127.0.0.1:${port}` },
    { what: 'processor', outcome: 'warning', text: 'visits/0 is restoring' },
    { what: 'processor', outcome: 'warning', text: 'visits has refused 72 records' },
  ]);
});

test('another program at the address is in the way, and is asked nothing more', async () => {
  isOurs = false;
  expect(await httpFindings({ http: { host: '127.0.0.1', port } })).toEqual([
    expect.objectContaining({ outcome: 'wrong', text: expect.stringContaining('another program answers') }),
  ]);
});

test('[H1][I9] one that asks for a token says its warnings to whoever has it, and doctor that there may be some', async () => {
  [isOurs, asksToken] = [true, true];
  const config = { http: { host: '127.0.0.1', port } };
  const text = 'a processor answers, and says nothing of its warnings without a token: --token-file';
  expect(await httpFindings(config)).toEqual([{ what: 'HTTP', outcome: 'warning', text }]);
  expect(await httpFindings(config, { token: 'right', ca: undefined })).toContainEqual({
    what: 'processor',
    outcome: 'warning',
    text: 'visits has refused 72 records',
  });
  expect(await httpFindings(config, { token: 'wrong', ca: undefined })).toEqual([
    { what: 'HTTP', outcome: 'wrong', text: expect.stringContaining('--token-file names a file with a token') },
  ]);
});
