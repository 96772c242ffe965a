import { afterEach, describe, expect, test } from '@jest/globals';
import { ManualClock } from '@flatline/base/manual-clock';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OtlpPush } from './otlp-push.ts';

interface Received {
  readonly authorization: string | undefined;
  readonly type: string | undefined;
  readonly at: string;
}

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** A collector that answers with these, the last one for ever; what it got, and how to wait for the next. */
async function collector(...answers: readonly number[]) {
  const received: Received[] = [];
  let wake = (): void => undefined;
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      const [, at = ''] = /"timeUnixNano":"(\d+)"/.exec(text) ?? [];
      received.push({ authorization: request.headers.authorization, type: request.headers['content-type'], at });
      response.writeHead(answers[Math.min(received.length, answers.length) - 1]!).end('no room');
      wake();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/metrics`;
  const next = (): Promise<void> => new Promise((resolve) => (wake = resolve));
  return { received, url, next };
}

describe('metrics that are sent', () => {
  test('[X5] one interval after another, what fails is told, and the end sends once more', async () => {
    const { received, url, next } = await collector(503, 200);
    const clock = new ManualClock();
    const warned: unknown[] = [];
    const told = Promise.withResolvers<undefined>();
    const push = new OtlpPush({
      config: { url: `${url}?api-key=s3cret`, ca: undefined, intervalMs: 60_000, authorization: () => 'Bearer abc' },
      clock,
      log: {
        info: () => undefined,
        error: () => undefined,
        warn: (_message, fields) => {
          warned.push(fields);
          told.resolve(undefined);
        },
      },
      source: { resource: {}, version: '1', startedAt: 0 },
      samples: () => Promise.resolve([{ name: 'g', help: 'h', type: 'gauge', values: [{ value: 1, labels: {} }] }]),
    });
    clock.advance(59_999);
    expect(received).toEqual([]);
    const first = next();
    clock.advance(1);
    await first;
    await told.promise;
    expect(warned).toEqual([{ url, why: 'it answers 503: no room' }]);
    await push.close();
    expect(received).toHaveLength(2);
    expect(received[1]).toMatchObject({ authorization: 'Bearer abc', type: 'application/json' });
    expect(warned).toHaveLength(1);
  });
});
