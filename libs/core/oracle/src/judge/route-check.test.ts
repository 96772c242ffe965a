import { describe, expect, test } from '@jest/globals';
import type { BatchMark, LetterRecord, LogSource, NaiveRoute, OutputRecord, RoutedRecord } from '../logs/history.ts';
import { murmur2Partition } from '../logs/murmur2.ts';
import { routedRecord } from '../logs/raw-record.ts';
import { saidOutput } from '../rules/said-output.ts';
import type { JudgedRules } from './kinds.ts';
import { Place } from './place.ts';
import { Findings } from './report.ts';
import { RouteCheck } from './route-check.ts';
import type { SaidRoutes } from './rules-in-force.ts';

const utf8 = new TextEncoder();
const GROUP = 'shop.visits';
const TOPIC = 'reminders';
const PARTITIONS = 2;
const ROUTES: readonly NaiveRoute[] = [
  { on: ['TIMEOUT'], to: TOPIC, key: '/attributes/site', value: '/reason', headers: { 'flatline-delay-ms': '2s' } },
];

interface Said {
  readonly key: string;
  readonly site?: string;
}

/** An output of each: one transaction. */
function outputOf({ key, site }: Said, offset: number): OutputRecord {
  const summary = { reason: 'TIMEOUT', state: 'CLOSED', attributes: site === undefined ? {} : { site } };
  const value = utf8.encode(JSON.stringify(summary));
  const place = { offset, timestamp: 0, logAppendTime: true };
  return { ...place, key: utf8.encode(key), value, summary, incarnation: undefined, headers: [] };
}

interface Lying {
  readonly site: string;
  readonly commit: number;
  readonly number?: number;
  readonly value?: string;
  readonly partition?: number;
  readonly group?: string;
  readonly copied?: boolean;
  /** How many partitions the topic had when it was routed. */
  readonly of?: number;
}

function lyingAt(each: Lying, offset: number): RoutedRecord {
  const { site, commit, number = 0, value = 'TIMEOUT', partition = 0, group = GROUP, copied = false } = each;
  const names = { 'flatline-delay-ms': '2000', 'flatline-route': `${group}/${partition}/${commit}/${number}` };
  const marks = copied ? { 'flatline-replay': '1' } : {};
  const headers = Object.entries({ ...names, ...marks }).map(([name, of]) => ({ name, value: utf8.encode(of) }));
  const place = { offset, timestamp: 0, logAppendTime: true };
  return routedRecord({ ...place, key: utf8.encode(site), value: utf8.encode(value), headers });
}

/** Each process, which has begun with the commit of its number, and all before the next one's. */
function sourceOf(
  records: readonly RoutedRecord[],
  logStart: number,
  begins: readonly number[],
): LogSource<RoutedRecord> {
  const batches = records.map(({ offset, origin }): BatchMark => {
    const producerEpoch = epochOf(origin?.commit ?? 0, begins);
    return {
      baseOffset: offset,
      lastOffset: offset,
      producerId: 1,
      producerEpoch,
      transactional: true,
      marker: undefined,
    };
  });
  const parts = [{ records, batches }];
  return { topic: TOPIC, logStart, read: () => Promise.resolve(parts.shift()), hanging: () => Promise.resolve([]) };
}

function epochOf(commit: number, begins: readonly number[]): number {
  return begins.filter((each) => each <= commit).length;
}

interface Case {
  /** Transactions of the output. */
  readonly said: readonly (readonly Said[])[];
  readonly there: readonly Lying[];
  readonly letters?: readonly string[];
  readonly outputStart?: number;
  readonly topicStart?: number;
  readonly isComplete?: boolean;
  /** Numbers of the commits, where they are known. */
  readonly commits?: readonly number[];
  readonly routes?: readonly NaiveRoute[];
  readonly compacted?: boolean;
  /** Default: the routes, throughout. */
  readonly inForce?: readonly SaidRoutes[];
  /** Which of these are, as outputs are looked at, by its index. Default: the first. */
  readonly present?: number;
  /** The commits of which they are; the check is not told. */
  readonly madeBy?: readonly number[];
}

async function judged({
  said,
  there,
  letters = [],
  outputStart = 0,
  topicStart = 0,
  isComplete = true,
  commits,
  routes = ROUTES,
  compacted = false,
  inForce,
  present = 0,
  madeBy = [],
}: Case) {
  const findings = new Findings();
  const begins = inForce?.map(({ sequence }) => sequence) ?? [];
  const place = (topic: string, partition: number) => new Place(topic, partition, findings);
  const inPartition = (partition: number) =>
    sourceOf(
      there.filter(({ site, of = PARTITIONS }) => murmur2Partition(utf8.encode(site), of) === partition).map(lyingAt),
      topicStart,
      begins,
    );
  const kept = letters.map((key, offset): LetterRecord => {
    const { value } = outputOf({ key }, 0);
    return { offset, key: utf8.encode(key), value, subject: { offset: 0, reason: 'unroutable' } };
  });
  const check = new RouteCheck({
    partition: 0,
    routed: {
      group: GROUP,
      topics: new Map([[TOPIC, [inPartition(0), inPartition(1)]]]),
      ...(compacted && { compacted: new Set([TOPIC]) }),
    },
    inForce: {
      rules: { routes: inForce?.[present]!.routes ?? (inForce === undefined ? routes : undefined) } as JudgedRules,
      routesSaid: inForce ?? [],
    },
    words: { saidIn: (record) => saidOutput(record, (text) => [text('reason'), text('state')]) },
    findings,
    letters: {
      get firstUnroutable() {
        return kept[0];
      },
      takeUnroutable: () => kept.shift(),
    },
    place,
    output: place('visits', 0),
    isWhole: outputStart === 0,
    decidedBelow: 1_000,
    isComplete,
  });
  let offset = outputStart;
  for (const [at, group] of said.entries())
    await check.check(
      group.map((each) => outputOf(each, offset++)),
      commits?.[at],
      madeBy[at] === undefined ? undefined : `1:${epochOf(madeBy[at], begins)}`,
    );
  await check.finish();
  const { violations, undecided, reach } = findings.report();
  return { violations: violations.map(({ rule, what }) => `${rule} ${what}`), undecided, routed: reach.routed };
}

const SAID = [
  [
    { key: 'a', site: 'north' },
    { key: 'b', site: 'south' },
  ],
  [{ key: 'c', site: 'north' }],
];
const NORTH = { site: 'north', commit: 3 };
const SOUTH = { site: 'south', commit: 3, number: 1 };
const LATER = { site: 'north', commit: 5 };
const CLEAN = { violations: [], undecided: [] };

describe('[P3] what outputs have routed', () => {
  test('[P3] is sound where each is there once, in order, among records of others', async () => {
    const others = [
      { ...NORTH, group: 'other.visits' },
      { ...NORTH, partition: 1 },
      { ...NORTH, copied: true },
    ];
    expect(await judged({ said: SAID, there: [...others, NORTH, ...others, SOUTH, LATER, ...others] })).toEqual({
      ...CLEAN,
      routed: 3,
    });
  });

  test.each<[string, Lying[], RegExp]>([
    ['one is missing', [NORTH, LATER], /brings about a record of reminders with the key south, which is not there/],
    ['the first of a commit is missing', [SOUTH, LATER], /brings about a record of reminders with the key north/],
    ['the last is missing', [NORTH, SOUTH], /with the key north, which is not there/],
    ['one comes twice', [NORTH, NORTH, SOUTH, LATER], /was routed a second time/],
    ['one comes again from a former commit', [NORTH, SOUTH, LATER, NORTH], /was routed a second time, or out of order/],
    [
      'another value',
      [{ ...NORTH, value: 'ENDED' }, SOUTH, LATER],
      /is not what output offset 0 brings about: its value/,
    ],
    [
      'one too many',
      [NORTH, SOUTH, LATER, { ...LATER, commit: 6 }],
      /by commit 6 of partition 0, and no output calls for it/,
    ],
    [
      'one too many in a commit',
      [NORTH, SOUTH, { ...SOUTH, site: 'north', number: 2 }, LATER],
      /no output calls for it|is not there/,
    ],
    ['two in the wrong order', [LATER, NORTH, SOUTH], /second time, or out of order|is not there/],
  ])('[P3] is not where %s', async (_, there, what) => {
    const { violations } = await judged({ said: SAID, there });
    expect(violations).toContainEqual(expect.stringMatching(what));
  });

  test('[P3] has a dead letter for each that cannot be made', async () => {
    const said = [[{ key: 'a' }, { key: 'b', site: 'north' }], [{ key: 'c' }]];
    expect(await judged({ said, there: [NORTH], letters: ['a', 'c'] })).toEqual({ ...CLEAN, routed: 1 });
    expect((await judged({ said, there: [NORTH], letters: ['a'] })).violations).toEqual([
      'P3 has a route that makes no record, and is no dead letter',
    ]);
    expect((await judged({ said, there: [NORTH], letters: ['a', 'c', 'd'] })).violations).toEqual([
      'P3 dead letter 2 is unroutable, and no output without its route is here',
    ]);
    expect((await judged({ said, there: [NORTH], letters: ['a', 'x'] })).violations).toEqual([
      'P3 is not what dead letter 1 has of it',
    ]);
  });

  test('[P3] is judged from the first commit on whose number is known, where a log has lost its beginning', async () => {
    const before = [
      { ...NORTH, commit: 1 },
      { ...NORTH, commit: 2, value: 'x' },
    ];
    const late = { said: SAID, outputStart: 10, commits: [3, 5] };
    const sound = await judged({ ...late, there: [...before, NORTH, SOUTH, LATER] });
    expect([sound.violations, sound.routed]).toEqual([[], 3]);
    expect((await judged({ ...late, there: [...before, NORTH, LATER] })).violations).toEqual([
      'P3 brings about a record of reminders with the key south, which is not there',
    ]);
    const gone = await judged({ said: SAID, there: [LATER], topicStart: 7, commits: [3, 5] });
    expect([gone.violations, gone.routed]).toEqual([[], 1]);
    expect(gone.undecided).not.toEqual([]);
    const unknown = await judged({ said: SAID, there: [...before, NORTH, SOUTH, LATER], outputStart: 10 });
    expect([unknown.violations, unknown.routed]).toEqual([[], 0]);
  });

  test('[P3] is undecided where more may have come since', async () => {
    const { violations, undecided } = await judged({
      said: SAID,
      there: [NORTH, SOUTH, LATER, { ...LATER, commit: 6 }],
      isComplete: false,
    });
    expect(violations).toEqual([]);
    expect(undecided).toEqual([expect.stringContaining('while this was read')]);
  });

  test('[P3] is sound where the topic has grown, and then only where its partition count of then leads', async () => {
    // By two partitions both lead to the second.
    const said = [[{ key: 'a', site: 'hill' }], [{ key: 'b', site: 'west' }], [{ key: 'c', site: 'hill' }]];
    const led = (...counts: number[]) =>
      counts.map((of, i) => ({ site: i === 1 ? 'west' : 'hill', commit: i + 3, of }));
    for (const commits of [undefined, [3, 4, 5]]) {
      const known = { said, ...(commits && { commits }) };
      for (const counts of [
        [1, 1, 1],
        [1, 1, 2],
        [1, 2, 2],
        [2, 2, 2],
      ])
        expect(await judged({ ...known, there: led(...counts) })).toEqual({ ...CLEAN, routed: 3 });
      expect((await judged({ ...known, there: led(1, 2, 1) })).violations).not.toEqual([]);
    }
  });

  test('[P3] is undecided where a record is gone from a compacted topic, and judged where one is there', async () => {
    const known = { said: SAID, commits: [3, 5], compacted: true };
    const replaced = await judged({ ...known, there: [SOUTH, LATER] });
    expect([replaced.violations, replaced.routed]).toEqual([[], 2]);
    expect(replaced.undecided).toEqual([expect.stringContaining('the topic is compacted')]);
    expect((await judged({ ...known, there: [NORTH, { ...SOUTH, value: 'x' }, LATER] })).violations).toEqual([
      'P3 is not what output offset 1 brings about: its value',
    ]);
    expect((await judged({ said: SAID, compacted: true, there: [SOUTH, LATER] })).violations).toEqual([]);
  });

  describe('where other routes came to be in force soon after', () => {
    // A process that begins with them says what was due before.
    const to = (value: string): NaiveRoute[] => [{ ...ROUTES[0]!, value }];
    const by = (sequence: number, routes: readonly NaiveRoute[] | undefined): SaidRoutes => ({ sequence, routes });
    const said = [[{ key: 'a', site: 'north' }], [{ key: 'b', site: 'south' }], [{ key: 'c', site: 'north' }]];
    const there = (...of: readonly (readonly [value: string, commit: number])[]): Lying[] =>
      of.map(([value, commit], i) => ({ site: i === 1 ? 'south' : 'north', value, commit }));

    const inForce = [by(1, to('old')), by(7, to('new'))];

    test.each([[[3, 4, 5]], [[3, 4, 7]], [[3, 7, 8]], [[7, 8, 9]]])(
      '[P3] commits %j, whose numbers no log tells, are judged by those of their process',
      async (madeBy) => {
        const routed = madeBy.map((commit) => [commit < 7 ? 'old' : 'new', commit] as const);
        expect(await judged({ said, there: there(...routed), inForce, madeBy })).toEqual({ ...CLEAN, routed: 3 });
        const wrong = routed.map(([value, commit], i) => [i === 1 ? 'other' : value, commit] as const);
        expect((await judged({ said, there: there(...wrong), inForce, madeBy })).violations).not.toEqual([]);
        const missing = { said, there: there(...routed).toSpliced(1, 1), inForce, madeBy };
        expect((await judged(missing)).violations).not.toEqual([]);
      },
    );

    test('[P3] those that began to be are of no output before, also where it would bring about the same', async () => {
      const begun = { said, inForce: [by(1, undefined), by(7, to('new'))], madeBy: [3, 4, 7] };
      const [, , third] = there(['', 0], ['', 0], ['new', 7]);
      expect(await judged({ ...begun, there: [third!] })).toEqual({ ...CLEAN, routed: 1 });
      expect((await judged({ ...begun, there: [] })).violations).toEqual([]);
    });

    test('[P3] those of before are among them: what was due has been said by a process that had them still', async () => {
      const inForce = [by(1, undefined), by(7, to('new'))];
      const { violations, undecided } = await judged({ said, there: [], inForce, present: 1, madeBy: [4, 5, 6] });
      expect(violations).toEqual([]);
      expect(undecided).toEqual([expect.stringContaining('by which routes')]);
    });

    test('[P3] a letter of what is undecided is no other output’s, and one that is missing elsewhere is missed', async () => {
      const inForce = [by(1, to('old')), by(4, to('old')), by(7, undefined)];
      const without = [[{ key: 'a' }], [{ key: 'b', site: 'south' }, { key: 'c' }]];
      const of = { said: without, there: there(['', 0], ['old', 4]).slice(1), inForce, madeBy: [3, 4] };
      expect((await judged({ ...of, letters: ['a', 'c'] })).violations).toEqual([]);
      const decided = { ...of, said: without.slice(1), madeBy: [4] };
      expect((await judged({ ...decided, letters: ['c'] })).violations).toEqual([]);
      expect((await judged({ ...decided, letters: ['x'] })).violations).toEqual([
        expect.stringContaining('dead letter 0'),
      ]);
    });

    test('[P3] what is routed no more is undecided where nothing tells when that began', async () => {
      const ended = { said, inForce: [by(1, to('old')), by(7, undefined)], there: there(['old', 3], ['old', 4]) };
      const { violations, undecided, routed } = await judged({ ...ended, madeBy: [3, 4, 7] });
      expect([violations, routed]).toEqual([[], 2]);
      expect(undecided).toEqual([expect.stringContaining('by which routes')]);
      expect((await judged({ ...ended, madeBy: [3, 4, 5] })).violations).toHaveLength(1);
    });
  });

  describe('where a function is not at hand', () => {
    const routes = [{ to: TOPIC, code: true }, ...ROUTES];
    const BY_CODE = { site: 'north', commit: 3, value: 'by code' };
    const there = [
      BY_CODE,
      { ...NORTH, number: 1 },
      { ...BY_CODE, site: 'south', number: 2 },
      { ...SOUTH, number: 3 },
      { ...BY_CODE, commit: 5 },
      { ...BY_CODE, commit: 5, number: 1 },
      { ...LATER, number: 2 },
    ];

    test.each<[string, number[] | undefined]>([
      ['known', [3, 5]],
      ['not known', undefined],
    ])('[P3] what it may have routed is undecided, the rest of its commit is found: numbers %s', async (_, commits) => {
      const { violations, undecided, routed } = await judged({
        said: SAID,
        there,
        routes,
        ...(commits && { commits }),
      });
      expect([violations, routed]).toEqual([[], 3]);
      expect(undecided).not.toEqual([]);
    });

    test('[P3] what it alone has routed is undecided', async () => {
      const alone = { said: SAID, routes: routes.slice(0, 1), there };
      expect((await judged(alone)).violations).toEqual([]);
      expect((await judged({ ...alone, commits: [3, 5] })).violations).toEqual([]);
    });

    test('[P3] what other commits have routed is no less certain', async () => {
      const late = { said: SAID, routes, commits: [3, 5], there: [...there, { ...LATER, commit: 6 }] };
      expect((await judged(late)).violations).toEqual([
        'P3 was routed by commit 6 of partition 0, and no output calls for it',
      ]);
      const again = { ...late, there: [...there, NORTH] };
      expect((await judged(again)).violations).toEqual([expect.stringMatching(/second time, or out of order/)]);
    });
  });
});
