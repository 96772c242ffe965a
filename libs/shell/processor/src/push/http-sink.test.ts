import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { ManualClock } from '@flatline/base/manual-clock';
import { HttpSink } from './http-sink.ts';

test('[Q3] a connection that has gone before it is a sink is a closed one', async () => {
  const gone = Promise.withResolvers<HttpSink>();
  const server = createServer((_, response) => {
    response.once('close', () => {
      setImmediate(() => {
        gone.resolve(new HttpSink(response, new ManualClock()));
      });
    });
  }).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false });
    request.on('error', () => undefined);
    await once(server, 'request');
    request.destroy();
    expect((await gone.promise).isClosed).toBe(true);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
