import { describe, expect, test } from '@jest/globals';
import { minimal, problems, untimed, visits, NAMED, THERE_ARE } from './resolving.fixture.ts';

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

  test.each([
    { kafka: { sasl: { mechanism: 'SCRAM-SHA-256', username: 'u', password: { env: 'PW' } } } },
    { kafka: { sasl: { username: 'u', password: { env: 'PW' } } } },
    { notifier: { endpoints: { name: 'e', url: 'https://shop.example' } } },
  ])('[I4] nor does a section without what it needs: %j', (section) => {
    const pipelines = [{ ...visits, output: { topic: 'visit-events' } }];
    const found = problems({ ...minimal, ...section, pipelines });
    expect(found.map((line) => line.split(' ')[0])).toEqual([
      expect.stringMatching(/^(kafka\.sasl\.mechanism|notifier\.endpoints)$/),
      'pipelines[0].output.topic',
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

  test('[I4] a setting in the wrong place is told where it belongs, and one of a choice what there is', () => {
    const input = { topic: 'i', format: 'protobuf' };
    expect(problems({ ...minimal, port: 1, pipelines: [{ ...visits, input, format: 'protobuf' }] })).toEqual([
      expect.stringMatching(/^pipelines\[0\]\.input\.format \["protobuf"\] .*"auto"\|"json"\|"avro"/),
      'pipelines[0].format [] no such setting here; there is input.format and output.format',
      'port [] no such setting here; there is http.port and ingest.port',
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
    expect(problems({ brokers: ['a:1'], pipelines: [visits] })).toEqual(['application [] is missing; expected text']);
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
      { kind: 'schedule', timeoutMs: undefined, output: { topic: 'o', tombstones: true } },
      'pipelines[0].output.tombstones [true] false: runs have no tombstones',
    ],
    [
      { kind: 'schedule', timeoutMs: undefined, proof: 'fetch' },
      'pipelines[0].proof ["fetch"] "record" for schedules: what a recurrence has missed is told by clocks that stand in the log (rule C3)',
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
      'pipelines[0].proofIntervalMs [100] at most 50, a tenth of unheardMs (500, half of timeoutMs): clock records come no faster; or set unheardMs to 0',
    ],
    [
      { kind: 'lease', timeoutMs: 2_000, unheardMs: 500, proofIntervalMs: 100 },
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
      { unheardMs: 999, proofIntervalMs: 100 },
      'pipelines[0].unheardMs [999] 0, or at least 10 times proofIntervalMs (100): clock records come no faster',
    ],
    [
      { unheardMs: 60_000, input: { topic: 'i', timestampType: 'CreateTime' } },
      'pipelines[0].unheardMs [60000] 0 where timestampType is "CreateTime": gaps between the stamps of producers are no outages',
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
      { emit: ['opened'] },
      'pipelines[0].emit [["opened"]] without "closed" the end of a session is never said: add it',
    ],
    [{ emit: ['closed', 'gone'] }, 'pipelines[0].emit[1] ["gone"] expected one of "opened"|"updated"|"closed"'],
    [{ updateIntervalMs: 5 }, 'pipelines[0].updateIntervalMs [5] says nothing unless emit has "updated" (rule S11)'],
    [
      { emit: ['updated', 'closed'], changelogFormat: 4 },
      'pipelines[0].emit [["updated","closed"]] "updated" needs changelogFormat 5, which has when a session was told of',
    ],
    [
      { emit: ['opened', 'closed'], graceMs: 5, input: { topic: 'i', timestampType: 'CreateTime' } },
      'pipelines[0].emit [["opened","closed"]] is not available together with graceMs in this version',
    ],
    [
      { revisionWindowMs: 5 },
      'pipelines[0].revisionWindowMs [5] 0 where nothing comes late: revisions need graceMs and late: "revise", or an input with touches: false (rule S9)',
    ],
    [
      { revisionWindowMs: 5, graceMs: 5, input: { topic: 'i', timestampType: 'CreateTime' } },
      'pipelines[0].revisionWindowMs [5] needs late: "revise" beside graceMs: with "deadLetter" nothing revises a session (rule S9)',
    ],
    [
      { graceMs: 5 },
      'pipelines[0].graceMs [5] 0 where timestampType is "LogAppendTime": the broker stamps records in their order. Set input.timestampType, and the topic\'s message.timestamp.type, to "CreateTime" if producers stamp them by event time (rule C7)',
    ],
    [
      { graceMs: 5, maxDurationMs: 90_000, input: { topic: 'i', timestampType: 'CreateTime' } },
      'pipelines[0].graceMs [5] not together with maxDurationMs (rule C7)',
    ],
    [
      { graceMs: 5, changelogFormat: 4, input: { topic: 'i', timestampType: 'CreateTime' } },
      'pipelines[0].graceMs [5] 0 where changelogFormat is 4: 5 is the first with several open sessions of a key',
    ],
    [
      { graceMs: 5, late: 'revise', input: { topic: 'i', timestampType: 'CreateTime' } },
      'pipelines[0].late ["revise"] needs revisionWindowMs: without one no closed session waits for what comes late (rule S9)',
    ],
    [{ late: 'revise' }, 'pipelines[0].late ["revise"] needs graceMs: without one no record is late (rule C7)'],
    [{ late: 'drop' }, 'pipelines[0].late ["drop"] needs graceMs: without one no record is late (rule C7)'],
    [
      { input: { topic: 'i', maxHoldMs: 5 } },
      'pipelines[0].input.maxHoldMs [] no such setting here; there is pipelines[0].maxHoldMs',
    ],
    [
      { commitIntervalMs: 5 },
      'pipelines[0].commitIntervalMs [] no such setting here; it is one of the process, and stands beside "application"',
    ],
    [{ merge: 'drop' }, 'pipelines[0].merge [] is not available in this version; leave it out'],
    [
      { output: { topic: 'o', maxEvents: 5 } },
      'pipelines[0].output.maxEvents [] no such setting here; there is pipelines[0].maxEvents',
    ],
    [{ stats: 'drop' }, 'pipelines[0].stats ["drop"] expected an object'],
    [{ input: { topic: 'i', targets: ['o'] } }, 'pipelines[0].input.targets [] no such setting'],
    [
      { input: { topic: 'i', touches: false } },
      'pipelines[0].input.touches [false] needs another input, whose records are activity (rule S8); leave it out',
    ],
    [
      { input: { topic: 'i', unknownKey: 'hold' } },
      'pipelines[0].input.unknownKey ["hold"] needs another input, whose records are activity (rule S8); leave it out',
    ],
    [{ input: 'i' }, 'pipelines[0].input ["i"] an object or a list'],
    [{ input: undefined }, 'pipelines[0].input [] is missing; expected an object or a list'],
    [{ input: { topic: 'i', topics: 1 } }, 'pipelines[0].input.topics [] no such setting; did you mean topic?'],
    [{ timeoutMs: (): number => 1 }, expect.stringMatching(/^pipelines\[0\]\.timeoutMs \[\(a function\)\] /)],
  ])('[I4] %j', (changes, problem) => {
    expect(problems({ ...minimal, pipelines: [{ ...visits, ...changes }] })).toEqual([problem]);
  });

  test.each([
    ['standbys', ' here; there is pipelines[].standbys'],
    ['timeoutMs', ' here; there is pipelines[].timeoutMs'],
    ['bootstrap.servers', '; it is brokers here'],
    ['workers', '; it is --workers of flatline run here'],
    ['partitions', '; it is --partitions of flatline topics create here'],
    ['surprise', ''],
  ])('[I4] %s beside "application" is told where it is to be found', (setting, said) => {
    expect(problems({ ...minimal, [setting]: 1 })).toEqual([`${setting} [] no such setting${said}`]);
  });

  test('[I4] a section that this version does not have is no misspelling', () => {
    expect(problems({ ...minimal, merge: {} })).toEqual(['merge [] is not available in this version; leave it out']);
  });

  test.each([
    ['debouce', { waitMs: 10 }, `["debouce"] ${THERE_ARE}; did you mean debounce?`],
    ['locks', { timeoutMs: 5_000, maxWaiters: 3 }, `["locks"] ${THERE_ARE}`],
    ['locks', {}, `["locks"] ${THERE_ARE}`],
    [undefined, { receipts: 'all' }, `[] is missing; expected one of ${NAMED.join('|')}`],
  ])('[I4] of a pipeline of the kind %s with %j nothing is said but the kind', (kind, settings, problem) => {
    const found = problems({ ...minimal, pipelines: [{ ...untimed, kind, ...settings }] });
    expect(found).toEqual([`pipelines[0].kind ${problem}`]);
  });

  test('[I4] of a pipeline of no kind, what every kind has is looked at as well', () => {
    const pipeline = { ...untimed, kind: 'locks', tickMs: 0, input: { topic: 'a/b' } };
    expect(problems({ ...minimal, pipelines: [pipeline] })).toEqual([
      expect.stringMatching(/^pipelines\[0\]\.kind \["locks"\]/),
      expect.stringMatching(/^pipelines\[0\]\.input\.topic \["a\/b"\] a topic name/),
      'pipelines[0].tickMs [0] a whole number of ms, 1 to 60000, or a length of time as "30m" or "10s"',
    ]);
  });

  test('[I4] of a pipeline of no kind, a setting that no kind has is named', () => {
    const pipeline = { ...untimed, kind: 'locks', maxWaiters: 3, tikMs: 5 };
    expect(problems({ ...minimal, pipelines: [pipeline] })).toEqual([
      expect.stringMatching(/^pipelines\[0\]\.kind \["locks"\]/),
      'pipelines[0].tikMs [] no such setting; did you mean tickMs?',
    ]);
  });

  test('[I4] of a pipeline of no kind, what every kind has is compared with the rest', () => {
    const { topic } = visits.input;
    const pipeline = { ...untimed, kind: 'locks', maxWaiters: 3, input: { topic: 7 } };
    expect(problems({ ...minimal, pipelines: [{ ...pipeline, output: { topic } }, visits] })).toEqual([
      expect.stringMatching(/^pipelines\[0\]\.kind \["locks"\]/),
      expect.stringMatching(/^pipelines\[0\]\.input\.topic \[7\]/),
      expect.stringMatching(/^pipelines\[1\]\.name \["visits"\] another pipeline has this name/),
      expect.stringMatching(/^pipelines\[1\]\.input\.topic \[.*\] a topic of its own; pipelines\[0\]\.output\.topic/),
    ]);
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

describe("[I4] messages are in our words, not in the library's:", () => {
  const [pipeline] = minimal.pipelines;
  test.each<[object, string]>([
    [{ application: 7 }, 'application [7] expected text'],
    [{ application: 'x'.repeat(81) }, 'application ["xxx…"] at most 80 characters'],
    [{ brokers: 'a:1' }, 'brokers ["a:1"] expected a list'],
    [{ brokers: [] }, 'brokers [[]] at least 1 element'],
    [{ kafka: { ssl: { rejectUnauthorized: 'no' } } }, 'kafka.ssl.rejectUnauthorized ["no"] expected true or false'],
    [{ pipelines: [{ ...pipeline, proof: null }] }, 'pipelines[0].proof [null] expected one of "record"|"fetch"'],
    [
      { pipelines: [{ ...pipeline, bucketMs: '40000d' }] },
      'pipelines[0].bucketMs [3456000000000] a whole number of ms, 0 to 3153600000000, or a length of time as "30m" or "10s"',
    ],
    [
      { pipelines: [{ ...pipeline, timeoutMs: { toString: 1, valueOf: 1 } }] },
      'pipelines[0].timeoutMs [(an object)] a whole number of ms, 1 or more, or a length of time as "30m" or "10s"',
    ],
    [
      { pipelines: [{ ...pipeline, timeoutMs: [4e12] }] },
      'pipelines[0].timeoutMs [[4000000000000]] a whole number of ms, 1 or more, or a length of time as "30m" or "10s"',
    ],
    [
      { pipelines: [{ ...pipeline, timeoutMs: 1e30 }] },
      'pipelines[0].timeoutMs [1e+30] a whole number of ms, 1 to 3153600000000, or a length of time as "30m" or "10s"',
    ],
    [
      { pipelines: [{ ...pipeline, startFrom: { timestamp: 1e300 } }] },
      'pipelines[0].startFrom.timestamp [1e+300] at most 9007199254740991',
    ],
  ])('%j', (settings, said) => {
    const [line, ...more] = problems({ ...minimal, ...settings });
    expect([line?.replace(/x{9,}…/, 'xxx…"'), more]).toEqual([said, []]);
  });

  test('not even where it is no object', () => {
    for (const root of [null, 7, []]) expect(problems(root)[0]).toMatch(/^configuration \[.*\] expected an object$/);
  });
});
