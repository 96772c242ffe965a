import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ConfigurationError, type Environment, type PipelineConfig, resolveConfiguration } from './index.ts';

const FOLDER = '/nowhere';

const visits = {
  name: 'visits',
  kind: 'session',
  timeoutMs: 1_800_000,
  input: { topic: 'visit-events' },
  output: { topic: 'visits' },
};
const untimed = Object.fromEntries(Object.entries(visits).filter(([name]) => name !== 'timeoutMs'));
const minimal = { application: 'shop', brokers: ['127.0.0.1:9092'], pipelines: [visits] };

const resolve = (
  config: unknown,
  environment: Environment = {},
  now?: number,
): ReturnType<typeof resolveConfiguration> =>
  resolveConfiguration(config, { source: 'flatline.config.json', folder: FOLDER, environment, now });

/** `setting: problem` of everything that is wrong. */
function problems(config: unknown, environment: Environment = {}, now?: number): string[] {
  try {
    resolve(config, environment, now);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.findings.map(({ setting, value, problem }) => `${setting} [${value ?? ''}] ${problem}`);
  }
}

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
          output: { topic: 'visits', format: 'json', compression: 'zstd', tombstones: true },
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
    [undefined, 'earliest'],
    ['latest', 'latest'],
    [{ timestamp: 1_700_000_000_000 }, { timestamp: 1_700_000_000_000 }],
    [{ timestamp: '2026-11-22T10:00:00+01:00' }, { timestamp: Date.UTC(2026, 10, 22, 9) }],
  ])('[R3] startFrom %j is %j', (startFrom, resolved) => {
    const { pipelines } = resolve({ ...minimal, pipelines: [{ ...visits, startFrom }] });
    expect(pipelines[0]!.startFrom).toEqual(resolved);
  });

  test.each(['now', 5, { timestamp: '2026-11-22T10:00:00' }, { timestamp: -1 }, { timestamp: 1_700_000_000 }, {}])(
    '[I4] startFrom %j is none, and it says what is',
    (startFrom) => {
      const [problem, ...others] = problems({ ...minimal, pipelines: [{ ...visits, startFrom }] });
      expect(others).toEqual([]);
      expect(problem).toMatch(/^pipelines\[0\]\.startFrom(\.timestamp)? \[.+\] ("earliest", "latest" or|too small)/);
    },
  );

  test('[I4] a startFrom that is in seconds or has no zone is shown as it stands', () => {
    const of = (timestamp: unknown): string[] =>
      problems({ ...minimal, pipelines: [{ ...visits, startFrom: { timestamp } }] });
    expect(of(1_700_000_000)).toEqual([expect.stringMatching(/1700000000.*seconds have to be multiplied by 1000/)]);
    expect(of('2026-11-22T10:00:00')).toEqual([expect.stringContaining('2026-11-22T10:00:00')]);
  });

  test('[I4] a startFrom that lies ahead is refused, with how far; one that is now, or was, is none of it', () => {
    const now = Date.UTC(2026, 10, 22, 12);
    const of = (...timestamps: unknown[]): string[] => {
      const pipelines = timestamps.map((timestamp, i) => ({
        ...visits,
        name: `p${i}`,
        output: { topic: `out${i}` },
        startFrom: { timestamp },
      }));
      return problems({ ...minimal, pipelines }, {}, now);
    };
    expect(of(now, now - 1, '2026-11-22T13:00:00+01:00')).toEqual([]);
    expect(of(now + 1, '2026-11-22T12:30:00Z', Number.MAX_SAFE_INTEGER)).toEqual([
      `pipelines[0].startFrom.timestamp [${now + 1}] an instant that has passed: 2026-11-22T12:00:00.001Z is 1 ms ahead of ` +
        "this machine's clock (2026-11-22T12:00:00.000Z), and records that come before it would be read. Start then, or " +
        'use "latest"',
      expect.stringContaining('2026-11-22T12:30:00.000Z is 1800000 ms ahead'),
      expect.stringContaining(`[${Number.MAX_SAFE_INTEGER}] an instant that has passed`),
    ]);
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
    [
      { kind: 'sesion' },
      'kind ["sesion"] there are "session", "lease", "debounce" and "schedule"; did you mean session?',
    ],
  ])('[I4] what is allowed is said in words: %j', (wrong, problem) => {
    expect(problems({ ...minimal, pipelines: [{ ...visits, ...wrong }] })).toEqual([`pipelines[0].${problem}`]);
  });

  test('[L1][L7] a lease has limits and unheard time of its own, in proportion to its timeout', () => {
    const of = (settings: object): PipelineConfig =>
      resolve({ ...minimal, pipelines: [{ ...visits, ...settings }] }).pipelines[0]!;
    const lease = { kind: 'lease', timeoutMs: 10_000 };
    const { rules, heldTime, proofIntervalMs } = of(lease);
    expect(rules).toEqual({
      timeoutMs: 10_000,
      minTimeoutMs: 1_000,
      maxTimeoutMs: 86_400_000,
      maxDurationMs: undefined,
      bucketMs: 0,
      onConflict: 'reject',
      maxWaiters: 16,
      lockDelayMs: 0,
      tokenEpoch: 0,
      maxAttributes: 64,
      maxAttributeBytes: 8_192,
    });
    expect([heldTime, proofIntervalMs]).toEqual([{ unheardMs: 5_000, maxHoldMs: 600_000 }, 100]);
    expect(of({ ...lease, timeoutMs: '1s' })).toMatchObject({ heldTime: { unheardMs: 500 }, proofIntervalMs: 50 });
    expect(of({ ...lease, unheardMs: 0 })).toMatchObject({ heldTime: { unheardMs: 0 }, proofIntervalMs: 100 });
    expect(of({ ...lease, proof: 'fetch' }).heldTime.unheardMs).toBe(0);
    expect(of({ ...lease, input: { topic: 'i', timestampType: 'CreateTime' } }).heldTime.unheardMs).toBe(0);
    expect(of({ kind: 'session', timeoutMs: 10_000 })).toMatchObject({
      heldTime: { unheardMs: 0, maxHoldMs: 86_400_000 },
    });
  });

  test('[B1] a window waits ten times its wait at most, and holds what a record does, unless it says otherwise', () => {
    const of = (settings: object): PipelineConfig =>
      resolve({ ...minimal, pipelines: [{ ...untimed, kind: 'debounce', waitMs: '2s', ...settings }] }).pipelines[0]!;
    const rules = { mode: 'trailing', waitMs: 2_000, maxWaitMs: 20_000, maxItems: 1_000_000, maxBytes: 1_000_000 };
    const shape = { onOversize: 'flush', reducer: 'all', dedupeBy: undefined };
    expect(of({})).toMatchObject({ rules: { ...rules, ...shape }, output: { tombstones: false } });
    expect(of({ onOversize: 'split', maxWaitMs: 0 }).rules).toMatchObject({ maxBytes: 16_777_216, maxWaitMs: 0 });
    expect(of({ reducer: 'last' }).rules).toMatchObject({ maxBytes: 2 ** 32 - 1, reducer: 'last' });
    expect(of({ reducer: 'last', maxBytes: 9_000_000 }).rules).toMatchObject({ maxBytes: 9_000_000 });
    const distinct = { reducer: 'count', dedupeBy: '/user/id' };
    expect(of(distinct).rules).toMatchObject({ maxBytes: 1_000_000, ...distinct });
  });

  test.each([
    [
      { waitMs: undefined },
      'waitMs [] is missing; expected a whole number of ms, 1 or more, or a length of time as "30m" or "10s"',
    ],
    [{ maxWaitMs: 2_000 }, 'maxWaitMs [2000] 0, or more than waitMs (2000)'],
    [
      { maxBytes: 1_000_001 },
      'maxBytes [1000001] at most 1000000, what one record holds; more with onOversize "split"',
    ],
    [{ maxItems: 0 }, 'maxItems [0] a whole number, 1 to 1000000'],
    [{ waitMS: 5 }, 'waitMS [] no such setting; did you mean waitMs?'],
    [{ unheardMs: 5_000 }, 'unheardMs [5000] is a setting of "session" and "lease" pipelines; leave it out'],
    [{ output: { topic: 'o', tombstones: true } }, 'output.tombstones [true] false: batches have no tombstones'],
    [{ input: { topic: 'i', format: 'json' } }, 'input.format ["json"] leave it out: items are taken as they are'],
    [
      { dedupeBy: '/user~name' },
      'dedupeBy ["/user~name"] a JSON pointer as "/user/id", with "~0" for "~" and "~1" for "/" within a name, or the name of a header',
    ],
    [
      { reducer: 'custom' },
      'reducer ["custom"] "all", "first", "last" or "count"; "custom" needs a function, and so a processor that is embedded: createProcessor(config, { reducers: { "visits": (accumulated, item) => … } })',
    ],
    [
      { dedupeBy: 'id', reducer: 'last', maxBytes: 1_000_001 },
      'maxBytes [1000001] at most 1000000, what one record holds; more with onOversize "split"',
    ],
  ])('[B1][I4] what a debounce pipeline does not take: %j', (settings, problem) => {
    const pipeline = { ...untimed, kind: 'debounce', waitMs: 2_000, ...settings };
    expect(problems({ ...minimal, pipelines: [pipeline] })).toEqual([`pipelines[0].${problem}`]);
  });

  test('[D1][D4] schedules have no timeout and rules of their own', () => {
    const schedule = { ...visits, kind: 'schedule', timeoutMs: undefined, maxHorizonMs: '30d', receipts: 'all' };
    expect(resolve({ ...minimal, pipelines: [schedule] }).pipelines[0]).toMatchObject({
      kind: 'schedule',
      heldTime: { unheardMs: 0 },
      rules: {
        maxHorizonMs: 2_592_000_000,
        missed: 'once',
        maxCatchUp: 1_000,
        catchUpWindowMs: 31_536_000_000,
        receipts: 'all',
        maxMessageBytes: 65_536,
        maxSchedulesPerKey: 64,
        targets: [],
      },
    });
  });

  test('[D1][I4] targets of schedules: topics of their own, or the input of another kind, and none that would schedule again', () => {
    const schedule = { ...visits, kind: 'schedule', timeoutMs: undefined, output: { topic: 'due' } };
    const of = (...targets: string[]): string[] =>
      problems({
        ...minimal,
        pipelines: [
          { ...schedule, input: { topic: 'later' }, name: 'later', targets },
          { ...visits, input: { topic: 'events' }, output: { topic: 'closed' } },
          { ...schedule, input: { topic: 'others' }, output: { topic: 'o' }, name: 'others', targets: ['mail'] },
        ],
      });
    expect(of('mail', 'events')).toEqual([]);
    for (const target of ['later', 'due', 'others', 'closed', 'shop.visits.changelog'])
      expect(of(target)).toEqual([expect.stringContaining('a topic of its own')]);
    expect(of('a/b')).toEqual([expect.stringContaining('targets[0]')]);
  });

  test('the environment goes over the file', () => {
    const environment = {
      KAFKA_BROKERS: 'a:1, b:2',
      FLATLINE_COMMIT_INTERVAL_MS: '250',
      FLATLINE_HTTP_PORT: '0',
      SCHEMA_REGISTRY_URL: 'http://r:1',
    };
    const config = resolve(minimal, environment);
    expect(config).toMatchObject({
      brokers: ['a:1', 'b:2'],
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

describe('[I4] what is wrong', () => {
  test('[I4] everything at once, each with setting, value and what is allowed', () => {
    const found = problems({
      ...minimal,
      brokers: ['nowhere'],
      comitIntervalMs: 5,
      pipelines: [{ ...visits, timeoutMs: 0, output: { topic: 'a b', format: 'xml', compression: 'brotli' } }],
    });
    expect(found).toEqual(
      expect.arrayContaining([
        'brokers[0] ["nowhere"] host:port, for example 127.0.0.1:9092',
        'comitIntervalMs [] no such setting; did you mean commitIntervalMs?',
        expect.stringMatching(/^pipelines\[0\]\.timeoutMs \[0\] .*1/),
        'pipelines[0].output.topic ["a b"] a topic name: letters, digits, ".", "_" and "-"',
        expect.stringMatching(/^pipelines\[0\]\.output\.format \["xml"\] .*"json"\|"avro"/),
        expect.stringMatching(
          /^pipelines\[0\]\.output\.compression \["brotli"\] .*"none"\|"gzip"\|"snappy"\|"lz4"\|"zstd"/,
        ),
      ]),
    );
    expect(found).toHaveLength(6);
  });

  test('[I4] one wrong setting does not hide what is wrong between others', () => {
    const broken = {
      ...visits,
      timeoutMs: 'long',
      minTimeoutMs: 9,
      maxTimeoutMs: 3,
      output: { topic: 'visit-events' },
    };
    const found = problems({
      application: 7,
      brokers: minimal.brokers,
      comitIntervalMs: 1,
      kafka: { heartbeatIntervalMs: 9_000, sasl: { mechanism: 'plain', username: 'u', password: { env: 'PW' } } },
      pipelines: [broken, { ...visits, input: { topic: 'more' }, output: { topic: 'other' }, graceMs: 2 }],
    });
    expect(found.map((line) => line.split(' ')[0]).sort()).toEqual([
      'application',
      'comitIntervalMs',
      'kafka.heartbeatIntervalMs',
      'kafka.sasl.password',
      'pipelines[0].minTimeoutMs',
      'pipelines[0].output.topic',
      'pipelines[0].timeoutMs',
      'pipelines[1].graceMs',
      'pipelines[1].name',
    ]);
  });

  test('[I4] what hangs on a wrong setting is not said', () => {
    const found = problems({
      ...minimal,
      brokers: ['nowhere', 'a:1', 'localhost:99999'],
      kafka: { sessionTimeoutMs: 'x', heartbeatIntervalMs: 9_000, transactionTimeoutMs: -1 },
      commitIntervalMs: 20_000,
      pipelines: [
        { ...visits, maxTimeoutMs: 'x', timeoutMs: 3e12 },
        { ...visits, name: 'a b', input: {} },
      ],
    });
    expect(found.map((line) => line.split(' ')[0]).sort()).toEqual([
      'brokers[0]',
      'brokers[2]',
      'kafka.sessionTimeoutMs',
      'kafka.transactionTimeoutMs',
      'pipelines[0].maxTimeoutMs',
      'pipelines[1].input.topic',
      'pipelines[1].name',
      // Both write the one output of the template.
      'pipelines[1].output.topic',
    ]);
  });

  test('[I4] nothing at all, and no object', () => {
    expect(problems({})).toHaveLength(3);
    expect(problems('text')).toHaveLength(1);
    expect(problems(undefined)).toHaveLength(1);
    expect(problems([])).toHaveLength(1);
    expect(problems({ ...minimal, pipelines: [] })).toHaveLength(1);
  });

  test('[I4] a value of the environment is named by its variable', () => {
    expect(problems(minimal, { FLATLINE_HTTP_PORT: 'high', KAFKA_BROKERS: 'nowhere' })).toEqual([
      'KAFKA_BROKERS (brokers[0]) ["nowhere"] host:port, for example 127.0.0.1:9092',
      expect.stringMatching(/^FLATLINE_HTTP_PORT \(http\.port\) \["high"\] .*number/),
    ]);
  });

  test('[I4] a missing setting is called missing', () => {
    expect(problems({ brokers: ['a:1'], pipelines: [visits] })).toEqual(['application [] is missing; expected string']);
  });

  test.each([
    [{ minTimeoutMs: 10, maxTimeoutMs: 5 }, 'pipelines[0].minTimeoutMs [10] at most maxTimeoutMs (5)'],
    [{ maxTimeoutMs: 1_000 }, 'pipelines[0].timeoutMs [1800000] minTimeoutMs (1) to maxTimeoutMs (1000)'],
    [
      { output: { topic: 'visit-events' } },
      'pipelines[0].output.topic ["visit-events"] a topic of its own; pipelines[0].input.topic is the same',
    ],
    [
      { output: { topic: 'o', format: 'avro' } },
      'pipelines[0].output.format ["avro"] needs a schema registry: set schemaRegistryUrl, or SCHEMA_REGISTRY_URL in the environment',
    ],
    [
      { kind: 'debounce', waitMs: 10 },
      'pipelines[0].timeoutMs [1800000] is a setting of "session" and "lease" pipelines; leave it out',
    ],
    [{ receipts: 'all' }, 'pipelines[0].receipts ["all"] is a setting of "schedule" pipelines; leave it out'],
    [
      { kind: 'schedule' },
      'pipelines[0].timeoutMs [1800000] is a setting of "session" and "lease" pipelines; leave it out',
    ],
    [
      { kind: 'schedule', timeoutMs: undefined, input: { topic: 'i', format: 'json' } },
      'pipelines[0].input.format ["json"] left out for schedules: what comes in goes out as it is',
    ],
    [
      { kind: 'schedule', timeoutMs: undefined, input: { topic: 'i', timestampType: 'CreateTime' } },
      'pipelines[0].input.timestampType ["CreateTime"] "LogAppendTime" for schedules (rule D1)',
    ],
    [
      { kind: 'schedule', timeoutMs: undefined, proof: 'fetch' },
      'pipelines[0].proof ["fetch"] "record" for schedules: how late a run is, the log says',
    ],
    [{ waitMs: 10 }, 'pipelines[0].waitMs [10] is a setting of "debounce" pipelines; leave it out'],
    [{ lockDelayMs: 5 }, 'pipelines[0].lockDelayMs [5] is a setting of "lease" pipelines; leave it out'],
    [
      { kind: 'lease', dedupeEventIds: 5 },
      'pipelines[0].dedupeEventIds [5] is a setting of "session" pipelines; leave it out',
    ],
    [{ kind: 'lease', timeoutMs: 900 }, 'pipelines[0].timeoutMs [900] minTimeoutMs (1000) to maxTimeoutMs (86400000)'],
    [
      { kind: 'lease', timeoutMs: 1_000, proofIntervalMs: 100 },
      'pipelines[0].unheardMs [500] 0, or at least 10 times proofIntervalMs (100): clock records come no faster',
    ],
    [
      { proof: 'fetch', input: { topic: 'i', timestampType: 'CreateTime' } },
      'pipelines[0].proof ["fetch"] "record" where timestampType is "CreateTime": the stamps of producers tell no present (rule C3)',
    ],
    [
      { proof: 'fetch', unheardMs: 60_000 },
      'pipelines[0].proof ["fetch"] "record" with unheardMs (60000), or unheardMs 0: unheard time needs clock records in the input',
    ],
    [
      { unheardMs: 900_001 },
      'pipelines[0].unheardMs [900001] 0, or at most half of timeoutMs (1800000): so much of each gap counts as silence',
    ],
    [
      { unheardMs: 999 },
      'pipelines[0].unheardMs [999] 0, or at least 10 times proofIntervalMs (100): clock records come no faster',
    ],
    [
      { unheardMs: 60_000, input: { topic: 'i', timestampType: 'CreateTime' } },
      'pipelines[0].unheardMs [60000] 0 where timestampType is "CreateTime": gaps between the stamps of producers are no outages',
    ],
    [
      { input: [{ topic: 'a' }, { topic: 'b' }] },
      'pipelines[0].input ["2 inputs"] is not available in this version; use one input',
    ],
    [{ name: '../etc' }, 'pipelines[0].name ["../etc"] letters, digits, "_" and "-"'],
    [{ name: 'a.b' }, 'pipelines[0].name ["a.b"] letters, digits, "_" and "-"'],
    [{ input: { topic: '..' } }, 'pipelines[0].input.topic [".."] a topic name: letters, digits, ".", "_" and "-"'],
    [
      { output: { topic: 'visit_events' }, input: { topic: 'visit.events' } },
      'pipelines[0].output.topic ["visit_events"] another topic; Kafka takes "." and "_" for the same, and pipelines[0].input.topic is visit.events',
    ],
    [
      { deadLetterTopic: 'visits' },
      'pipelines[0].deadLetterTopic ["visits"] a topic of its own; pipelines[0].output.topic is the same',
    ],
    [
      { output: { topic: 'shop.visits.changelog' } },
      'pipelines[0].name (changelog) ["shop.visits.changelog"] a topic of its own; pipelines[0].output.topic is the same',
    ],
    [
      { emit: ['opened', 'closed'] },
      'pipelines[0].emit [["opened","closed"]] is not available in this version; use ["closed"]',
    ],
    [{ revisionWindowMs: 5 }, 'pipelines[0].revisionWindowMs [5] is not available in this version; use 0'],
    [{ graceMs: 5 }, 'pipelines[0].graceMs [5] is not available in this version; use 0'],
    [{ input: { topic: 'i', maxHoldMs: 5 } }, 'pipelines[0].input.maxHoldMs [] no such setting'],
    [{ late: 'drop' }, 'pipelines[0].late [] is not available in this version; leave it out'],
    [
      { input: { topic: 'i', touches: false } },
      'pipelines[0].input.touches [false] is not available in this version; use true',
    ],
    [
      { input: { topic: 'i', unknownKey: 'hold' } },
      'pipelines[0].input.unknownKey ["hold"] is not available in this version; use "open"',
    ],
    [{ input: 'i' }, 'pipelines[0].input ["i"] object or array'],
    [{ input: undefined }, 'pipelines[0].input [] is missing; expected object or array'],
    [{ input: { topic: 'i', topics: 1 } }, 'pipelines[0].input.topics [] no such setting; did you mean topic?'],
    [{ timeoutMs: (): number => 1 }, expect.stringMatching(/^pipelines\[0\]\.timeoutMs \[\(a function\)\] /)],
  ])('[I4] %j', (changes, problem) => {
    expect(problems({ ...minimal, pipelines: [{ ...visits, ...changes }] })).toEqual([problem]);
  });

  test('[I4] a variable by which a test once changed what the product does', () => {
    for (const name of ['FLATLINE_FAILPOINT', 'FLATLINE_TEST_UNSAFE'])
      expect(problems(minimal, { [name]: 'x' })).toEqual([expect.stringContaining(`${name} [] no such variable`)]);
  });

  test('[I4] a misspelt variable of the environment', () => {
    expect(problems(minimal, { FLATLINE_STATEDIR: 'x' })[0]).toMatch(
      /^FLATLINE_STATEDIR \[\] no such variable; there are .*FLATLINE_STATE_DIR/,
    );
  });

  test.each(['FLATLINE_CONFIG', 'FLATLINE_BROKER_PORT'])(
    '[I4] %s, which sounds as if there were such a variable',
    (name) => {
      expect(problems(minimal, { [name]: 'x' })).toEqual([expect.stringContaining(`${name} [] no such variable`)]);
    },
  );

  test('[I4] two pipelines of one name', () => {
    const other = { ...visits, output: { topic: 'other' }, deadLetterTopic: 'dead' };
    expect(problems({ ...minimal, pipelines: [visits, other] })).toEqual([
      'pipelines[1].name ["visits"] another pipeline has this name (pipelines[0])',
    ]);
    // A file system that does not tell them apart would give both one directory.
    expect(problems({ ...minimal, pipelines: [visits, { ...other, name: 'Visits' }] })).toHaveLength(1);
  });
});
