import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { FOLDER, minimal, problems, resolve, visits, THERE_ARE } from './resolving.fixture.ts';

describe('a valid configuration', () => {
  test('the least one has the defaults and derived names of the interface', () => {
    expect(resolve(minimal)).toMatchObject({
      application: 'shop',
      commitIntervalMs: 500,
      http: { host: '127.0.0.1', port: 7070 },
      stateDir: join(FOLDER, 'state'),
      pipelines: [
        {
          group: 'shop.visits',
          changelogTopic: 'shop.visits.changelog',
          deadLetterTopic: 'shop.visits.dead-letters',
          input: { format: 'auto', timestampType: 'LogAppendTime', maxKeyBytes: 512 },
          output: { topic: 'visits', format: 'json', compression: 'gzip', tombstones: true },
          rules: { timeoutMs: 1_800_000, dedupeEventIds: 16 },
          proof: 'record',
          proofIntervalMs: 100,
          clockSkewMs: 500,
          closeDelayMs: 20,
          tickMs: 10,
          truncateLagBytes: 268_435_456,
        },
      ],
    });
  });

  test.each([
    [1_800_000, undefined, 60_000],
    [6_000, undefined, 2_000],
    [1, undefined, 1],
    [6_000, 9_000, 9_000],
  ])(
    '[C6] with a timeout of %i and maxLeadMs %p a clock that is fast moves the partition clock ahead by %i at most',
    (timeoutMs, maxLeadMs, lead) => {
      const [pipeline] = minimal.pipelines;
      const chosen = maxLeadMs === undefined ? {} : { maxLeadMs };
      const config = resolve({ ...minimal, pipelines: [{ ...pipeline, timeoutMs, ...chosen }] });
      expect(config.pipelines[0]!.input.maxLeadMs).toBe(lead);
    },
  );

  test.each([
    [1_800_000, undefined, 10_000],
    [10_000, undefined, 5_000],
    [10_000, 2_000, 2_000],
  ])(
    'sockets of sessions with a timeout of %i and pingIntervalMs %p are pinged every %i ms',
    (timeoutMs, set, every) => {
      const ingest = { tokens: [{ env: 'TOKEN' }], ...(set !== undefined && { pingIntervalMs: set }) };
      const config = { ...minimal, ingest, pipelines: [{ ...visits, timeoutMs }] };
      expect(resolve(config, { TOKEN: 'sesame' }).ingest).toMatchObject({ pingIntervalMs: every });
    },
  );

  test('[I4] sockets are not pinged so seldom that one lost answer ends a session', () => {
    const config = { ...minimal, pipelines: [{ ...visits, timeoutMs: 10_000 }] };
    const ingest = { tokens: [{ env: 'TOKEN' }], pingIntervalMs: 5_001 };
    const problem = "at most half of the shortest timeoutMs (10000): a socket's pings are its heartbeats";
    expect(problems({ ...config, ingest }, { TOKEN: 'sesame' })).toEqual([`ingest.pingIntervalMs [5001] ${problem}`]);
  });

  test('[I4][I10] pipelines that take records over HTTP are named as they are called, and are no leases', () => {
    const locks = { ...visits, name: 'locks', kind: 'lease', input: { topic: 'a' }, output: { topic: 'b' } };
    const of = (...pipelines: readonly string[]): readonly string[] => {
      const ingest = { tokens: [{ env: 'TOKEN' }], pipelines };
      return problems({ ...minimal, ingest, pipelines: [visits, locks] }, { TOKEN: 'sesame' });
    };
    expect(of('visits')).toEqual([]);
    expect(of('visit', 'locks')).toEqual([
      expect.stringMatching(/^ingest\.pipelines\[0\] \["visit"\] a pipeline of this configuration: visits, locks/),
      expect.stringMatching(/^ingest\.pipelines\[1\] \["locks"\] a pipeline of another kind/),
    ]);
  });

  test('lengths of time may be written with their unit', () => {
    const pipeline = { ...visits, timeoutMs: '30m', tickMs: '0.25s', graceMs: '0ms', maxTimeoutMs: '7d' };
    const config = resolve({ ...minimal, pipelines: [pipeline] }, { FLATLINE_COMMIT_INTERVAL_MS: '1s' });
    expect(config.commitIntervalMs).toBe(1_000);
    expect(config.pipelines[0]).toMatchObject({
      tickMs: 250,
      rules: { timeoutMs: 1_800_000, maxTimeoutMs: 604_800_000 },
    });
  });

  test.each([
    [
      { timeoutMs: '30 minutes' },
      'timeoutMs ["30 minutes"] a whole number of ms, 1 or more, or a length of time as "30m" or "10s"',
    ],
    [{ timeoutMs: -1 }, 'timeoutMs [-1] a whole number of ms, 1 or more, or a length of time as "30m" or "10s"'],
    [{ timeoutMs: '0.5ms' }, 'timeoutMs [0.5] a whole number of ms, 1 or more, or a length of time as "30m" or "10s"'],
    [{ maxKeyBytes: 'x' }, 'maxKeyBytes ["x"] a whole number, 1 to 65535'],
    [{ kind: 'sesion' }, `kind ["sesion"] ${THERE_ARE}; did you mean session?`],
  ])('[I4] what is allowed is said in words: %j', (wrong, problem) => {
    expect(problems({ ...minimal, pipelines: [{ ...visits, ...wrong }] })).toEqual([`pipelines[0].${problem}`]);
  });

  test('the environment goes over the file', () => {
    const environment = {
      KAFKA_BROKERS: 'a:1, b:2',
      FLATLINE_RACK: 'east',
      FLATLINE_COMMIT_INTERVAL_MS: '250',
      FLATLINE_HTTP_PORT: '0',
      SCHEMA_REGISTRY_URL: 'http://r:1',
    };
    const config = resolve(minimal, environment);
    expect(config).toMatchObject({
      brokers: ['a:1', 'b:2'],
      rack: 'east',
      commitIntervalMs: 250,
      http: { port: 0 },
      schemaRegistry: { url: 'http://r:1', setting: 'SCHEMA_REGISTRY_URL', retries: 3, timeoutMs: 5_000 },
    });
  });

  test("the registry's URL is told apart by where it came from, for messages", () => {
    const config = resolve({ ...minimal, schemaRegistryUrl: 'http://r:1' });
    expect(config.schemaRegistry).toEqual({
      url: 'http://r:1',
      setting: 'schemaRegistryUrl',
      retries: 3,
      timeoutMs: 5_000,
    });
  });
});
