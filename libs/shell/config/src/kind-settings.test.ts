import { describe, expect, test } from '@jest/globals';
import { type PipelineConfig, rulesText } from './index.ts';
import { minimal, problems, resolve, untimed, visits } from './resolving.fixture.ts';

describe('settings of each kind of pipeline', () => {
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
  });

  test('[S11][S13] a session says what emit names, an update a minute unless told otherwise, and takes 1 event or more', () => {
    const of = (settings: object): unknown =>
      resolve({ ...minimal, pipelines: [{ ...visits, ...settings }] }).pipelines[0]!.rules;
    expect(of({})).toMatchObject({ sayOpened: false, updateIntervalMs: undefined, maxEvents: undefined });
    expect(of({ emit: ['opened', 'updated', 'closed'] })).toMatchObject({ sayOpened: true, updateIntervalMs: 60_000 });
    expect(of({ emit: ['closed', 'updated'], updateIntervalMs: 1, maxEvents: 1 })).toMatchObject({
      sayOpened: false,
      updateIntervalMs: 1,
      maxEvents: 1,
    });
    const byTime = { maxEvents: 9, graceMs: 5, input: { topic: 'i', timestampType: 'CreateTime' } };
    expect(of(byTime)).toMatchObject({ maxEvents: 9, graceMs: 5 });
    const wrong = { emit: ['closed', 'updated'], updateIntervalMs: 0, maxEvents: 0 };
    expect(problems({ ...minimal, pipelines: [{ ...visits, ...wrong }] })).toEqual([
      expect.stringMatching(/^pipelines\[0\]\.maxEvents \[0\] a whole number, 1 to /),
      expect.stringMatching(/^pipelines\[0\]\.updateIntervalMs \[0\] a whole number of ms, 1 or more/),
    ]);
    expect(problems({ ...minimal, pipelines: [{ ...visits, kind: 'lease', emit: ['opened', 'closed'] }] })).toEqual([
      'pipelines[0].emit [["opened","closed"]] ["closed"]: a lease pipeline has nothing else to say',
    ]);
  });

  test('[S2] deadlines of sessions may be rounded up to buckets, as those of leases are, but not beside a grace', () => {
    const of = (settings: object): PipelineConfig =>
      resolve({ ...minimal, pipelines: [{ ...visits, ...settings }] }).pipelines[0]!;
    expect(of({ bucketMs: '1s' }).rules).toMatchObject({ bucketMs: 1_000 });
    expect(rulesText(of({ bucketMs: 0 }))).toBe(rulesText(of({})));
    const byTime = { graceMs: 5, input: { topic: 'i', timestampType: 'CreateTime' } };
    expect(problems({ ...minimal, pipelines: [{ ...visits, ...byTime, bucketMs: 1 }] })).toEqual([
      'pipelines[0].bucketMs [1] 0 with graceMs: which sessions are one goes by their own deadlines (rule C7)',
    ]);
    expect(problems({ ...minimal, pipelines: [{ ...visits, bucketMs: -1 }] })).toEqual([
      expect.stringMatching(/^pipelines\[0\]\.bucketMs \[-1\] a whole number of ms, 0 or more/),
    ]);
  });

  test('[C8] a session has unheard time by default, half of its timeout, where the log can tell it', () => {
    const of = (settings: object): PipelineConfig =>
      resolve({ ...minimal, pipelines: [{ ...visits, ...settings }] }).pipelines[0]!;
    const held = (settings: object): unknown => {
      const { heldTime, proofIntervalMs } = of({ timeoutMs: '10s', ...settings });
      return [heldTime.unheardMs, heldTime.maxHoldMs, proofIntervalMs];
    };
    expect(held({})).toEqual([5_000, 600_000, 100]);
    expect(held({ unheardMs: 0 })).toEqual([0, 600_000, 100]);
    expect(held({ unheardMs: '2s', maxHoldMs: '1h', proofIntervalMs: 50 })).toEqual([2_000, 3_600_000, 50]);
    expect(held({ timeoutMs: 1_500 })).toEqual([750, 600_000, 75]);
    expect(held({ timeoutMs: 1_000 })).toEqual([500, 600_000, 50]);
    expect(held({ timeoutMs: 999 })).toEqual([0, 600_000, 100]);
    expect(held({ proof: 'fetch' })).toEqual([0, 600_000, 100]);
    expect(held({ input: { topic: 'i', timestampType: 'CreateTime' } })).toEqual([0, 600_000, 100]);
  });

  test('[C8] a pace of clock records that is set and too slow for it is obeyed, and the session has none', () => {
    const held = (settings: object): unknown => {
      const pipeline = { ...visits, timeoutMs: '10s', ...settings };
      const { heldTime, proofIntervalMs } = resolve({ ...minimal, pipelines: [pipeline] }).pipelines[0]!;
      return [heldTime.unheardMs, proofIntervalMs];
    };
    expect(held({ proofIntervalMs: 500 })).toEqual([5_000, 500]);
    expect(held({ proofIntervalMs: 501 })).toEqual([0, 501]);
    expect(held({ timeoutMs: '30m', proofIntervalMs: '2m' })).toEqual([0, 120_000]);
    const asked = { ...visits, timeoutMs: '10s', proofIntervalMs: 501, unheardMs: 5_000 };
    expect(problems({ ...minimal, pipelines: [asked] })).toEqual([
      'pipelines[0].proofIntervalMs [501] at most 500, a tenth of unheardMs (5000, half of timeoutMs): clock records come no faster; or set unheardMs to 0',
    ]);
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
        minEveryMs: 100,
        missed: 'once',
        maxCatchUp: 1_000,
        catchUpWindowMs: 31_536_000_000,
        receipts: 'all',
        maxMessageBytes: 65_536,
        maxSchedulesPerKey: 64,
        targets: [],
        outputTopic: 'visits',
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
});

test('[I7][I4] what may live in a partition is as much as one window, or one message, may be', () => {
  const found = (settings: object): string[] => problems({ ...minimal, pipelines: [{ ...untimed, ...settings }] });
  const maxStateBytes = 2_097_152;
  expect(found({ kind: 'debounce', waitMs: 2_000, maxStateBytes })).toEqual([]);
  expect(found({ kind: 'debounce', waitMs: 2_000, maxStateBytes, onOversize: 'split' })).toEqual([
    'pipelines[0].maxStateBytes [2097152] at least 16778160, maxBytes (16777216) and 944 for the window of an item, with its key: no window could be as large. Raise it, or lower maxBytes or maxKeyBytes',
  ]);
  const window = { kind: 'debounce', waitMs: 2_000, onOversize: 'split', maxBytes: 2_000_000 };
  expect(found({ ...window, maxStateBytes: 2_000_000 })).toEqual([expect.stringContaining('at least 2000944')]);
  expect(found({ ...window, maxStateBytes: 2_000_943 })).toHaveLength(1);
  expect(found({ ...window, maxStateBytes: 2_000_944 })).toEqual([]);
  expect(found({ kind: 'schedule', maxStateBytes, maxMessageBytes: 3_000_000 })).toEqual([
    'pipelines[0].maxStateBytes [2097152] at least maxMessageBytes (3000000): no such message could be kept',
  ]);
  expect(resolve({ ...minimal, pipelines: [{ ...visits, maxStateBytes }] }).pipelines[0]).toMatchObject({
    maxStateBytes,
  });
});

test.each([
  [1, '2, 3, 4, 5 or 6: no release wrote another, and none is read. Leave the setting out'],
  [
    7,
    '2, 3, 4, 5 or 6: this version reads and writes nothing newer. Run the version that does, or leave the setting out',
  ],
])('[K9][I4] a changelog format that is not written: %d', (changelogFormat, problem) => {
  expect(problems({ ...minimal, pipelines: [{ ...visits, changelogFormat }] })).toEqual([
    `pipelines[0].changelogFormat [${changelogFormat}] ${problem}`,
  ]);
  expect(resolve(minimal).pipelines[0]).toMatchObject({ changelogFormat: 6 });
});

test('[S5][K9] sources are told apart once no former build has to read what is kept of them', () => {
  const rulesOf = (settings: object): unknown =>
    resolve({ ...minimal, pipelines: [{ ...visits, ...settings }] }).pipelines[0]!.rules;
  expect(rulesOf({})).toMatchObject({ maxSources: 8 });
  expect(rulesOf({ maxSources: 64 })).toMatchObject({ maxSources: 64 });
  expect(rulesOf({ maxSources: 64, changelogFormat: 3 })).toMatchObject({ maxSources: 0 });
});

describe('presets of sessions', () => {
  const of = (settings: object): PipelineConfig =>
    resolve({ ...minimal, pipelines: [{ ...untimed, ...settings }] }).pipelines[0]!;
  const found = (settings: object, more: object = {}): string[] =>
    problems({ ...minimal, ...more, pipelines: [{ ...untimed, ...settings }] }, { TOKEN: 'sesame' });

  test.each([
    ['web', { timeoutMs: '30m', maxDurationMs: '24h' }],
    ['mobile', { timeoutMs: '5m' }],
    ['player', { timeoutMs: '20s' }],
    ['ga4', { timeoutMs: '30m', maxTimeoutMs: 28_500_000 }],
    ['posthog', { timeoutMs: '30m', maxDurationMs: '24h', minTimeoutMs: '1m', maxTimeoutMs: '10h' }],
  ])('[K1] %s is its settings, and nothing else is kept of it', (preset, settings) => {
    expect(of({ preset })).toEqual(of(settings));
    expect(rulesText(of({ preset }))).toBe(rulesText(of(settings)));
    expect(rulesText(of({ preset }))).not.toContain('preset');
  });

  test('[S1][S2] what is set wins, and what follows from it follows from that', () => {
    expect(of({ preset: 'web', timeoutMs: '10s', maxDurationMs: '1h' })).toEqual(
      of({ timeoutMs: '10s', maxDurationMs: '1h' }),
    );
    expect(of({ preset: 'web', timeoutMs: undefined }).heldTime.unheardMs).toBe(900_000);
    expect(of({ preset: 'ga4', timeoutMs: '8h', maxTimeoutMs: '8h' }).rules).toMatchObject({ timeoutMs: 28_800_000 });
  });

  const LEFT = 'leave the preset out, and set what you need';
  const WEB = `preset "web" sets maxDurationMs to 86400000: ${LEFT}`;
  test.each<[object, string[]]>([
    [{}, ['timeoutMs [] is missing; expected a whole number of ms, 1 or more, or a length of time as "30m" or "10s"']],
    [{ preset: 'wbe' }, ['preset ["wbe"] expected one of "web"|"mobile"|"player"|"ga4"|"posthog"']],
    [{ preset: 'toString' }, ['preset ["toString"] expected one of "web"|"mobile"|"player"|"ga4"|"posthog"']],
    [{ preset: null }, ['preset [null] expected one of "web"|"mobile"|"player"|"ga4"|"posthog"']],
    [
      { preset: 'wbe', unheardMs: '1h', maxTimeoutMs: '2h', emit: ['opened'] },
      [
        'preset ["wbe"] expected one of "web"|"mobile"|"player"|"ga4"|"posthog"',
        'emit [["opened"]] without "closed" the end of a session is never said: add it',
      ],
    ],
    [
      { preset: 'web', timeoutMs: null },
      ['timeoutMs [null] a whole number of ms, 1 or more, or a length of time as "30m" or "10s"'],
    ],
    [
      { preset: 'web', graceMs: 5, input: { topic: 'i', timestampType: 'CreateTime' } },
      [`graceMs [5] not together with maxDurationMs (rule C7); ${WEB}`],
    ],
    [
      { preset: 'web', maxDurationMs: 5, graceMs: 5, input: { topic: 'i', timestampType: 'CreateTime' } },
      ['graceMs [5] not together with maxDurationMs (rule C7)'],
    ],
    [
      { preset: 'player', unheardMs: '15s' },
      [
        `unheardMs [15000] 0, or at most half of timeoutMs (20000): so much of each gap counts as silence; preset "player" sets timeoutMs to 20000: ${LEFT}`,
      ],
    ],
    [
      { preset: 'ga4', timeoutMs: '8h' },
      [
        `timeoutMs [28800000] minTimeoutMs (1) to maxTimeoutMs (28500000); preset "ga4" sets maxTimeoutMs to 28500000: ${LEFT}`,
      ],
    ],
    [
      { preset: 'posthog', timeoutMs: '30s' },
      [
        `timeoutMs [30000] minTimeoutMs (60000) to maxTimeoutMs (36000000); preset "posthog" sets minTimeoutMs to 60000, maxTimeoutMs to 36000000: ${LEFT}`,
      ],
    ],
    [
      { preset: 'web', kind: 'lease', timeoutMs: '10s' },
      ['preset ["web"] is a setting of "session" pipelines; leave it out'],
    ],
  ])('[I4] %j', (settings, lines) => {
    expect(found(settings)).toEqual(lines.map((line) => `pipelines[0].${line}`));
  });

  test('[I4] sockets that are pinged too seldom for a preset', () => {
    expect(found({ preset: 'player' }, { ingest: { tokens: [{ env: 'TOKEN' }], pingIntervalMs: 10_001 } })).toEqual([
      `ingest.pingIntervalMs [10001] at most half of the shortest timeoutMs (20000): a socket's pings are its heartbeats; preset "player" sets timeoutMs to 20000: ${LEFT}`,
    ]);
  });
});
