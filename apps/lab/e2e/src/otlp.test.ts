// A collector of OpenTelemetry, as far as a processor sees of it: it takes what is sent, and later does not answer any more.
import { afterEach, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { killAll } from './child.fixture.ts';
import { recordOf } from './kinds.fixture.ts';
import { Scenario } from './scenario.fixture.ts';

interface Point {
  readonly asDouble: number;
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue: string } }[];
}

interface Request {
  readonly resourceMetrics: readonly [
    {
      readonly resource: { readonly attributes: Point['attributes'] };
      readonly scopeMetrics: readonly [
        {
          readonly metrics: readonly {
            readonly name: string;
            readonly sum?: { readonly dataPoints: readonly Point[] };
          }[];
        },
      ];
    },
  ];
}

let scenario: Scenario;
let server: Server;
afterEach(async () => {
  await killAll();
  server.closeAllConnections();
  server.close();
  await scenario.dispose();
});

test('[X5] metrics go to a collector; one that falls silent holds no session up, and no end', async () => {
  const requests: Request[] = [];
  let answers = true;
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      requests.push(JSON.parse(text) as Request);
      if (answers) response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  scenario = await Scenario.create({ timeoutMs: 1_000, partitions: 1 });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/metrics`;
  scenario.setting('otlp', { url, intervalMs: '1s' });
  const processor = scenario.start();
  await scenario.producing((producer) => producer.send([recordOf('anna', '')]));
  await scenario.outputs(({ tombstones }) => tombstones.length === 1);
  const closed = (): number | undefined => {
    const [sent] = requests.at(-1)?.resourceMetrics ?? [];
    const metric = sent?.scopeMetrics[0].metrics.find(({ name }) => name === 'flatline_sessions_closed_total');
    return metric?.sum?.dataPoints.find(({ attributes }) =>
      attributes.some(({ value }) => value.stringValue === 'TIMEOUT'),
    )?.asDouble;
  };
  while (closed() !== 1) await new Promise((resolve) => server.once('request', resolve));
  const { attributes } = requests[0]!.resourceMetrics[0].resource;
  expect(attributes).toContainEqual({ key: 'service.name', value: { stringValue: scenario.application } });
  answers = false;
  await processor.line(/metrics not sent/);
  await scenario.producing((producer) => producer.send([recordOf('bert', '')]));
  await scenario.outputs(({ tombstones }) => tombstones.length === 2);
  expect(await scenario.stop(processor)).toBe(0);
});
