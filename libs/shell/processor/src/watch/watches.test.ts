// Pages that come, stall and go, against what the processor shows; by lines as they read them.
import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { ManualClock } from '@flatline/base/manual-clock';
import { pipeline, standby, task } from '../http/http.fixture.ts';
import type { Looked, ProcessView } from '../http/observed.ts';
import { type Facts, factsOf } from './facts.ts';
import { Growth } from './growth.ts';
import { MESSAGE_BYTES_MAX, Watcher, changesBetween } from './watcher.ts';
import type { RoomySink } from './board.ts';
import { EVERY_MS, Watches } from './watches.ts';

const SEED = Number(process.env['SEED'] ?? 1);
const SEEDS = Number(process.env['SEEDS'] ?? 40);

class PageSink implements RoomySink {
  hasRoom = true;
  hasEnded = false;
  readonly lengths: number[] = [];
  readonly facts = new Map<string, unknown>();

  send(bytes: Buffer): boolean {
    this.lengths.push(bytes.length);
    const { facts, gone = [] } = JSON.parse(bytes.toString()) as { facts: object; gone?: string[] };
    for (const [path, fact] of Object.entries(facts)) this.facts.set(path, fact);
    for (const path of gone) this.facts.delete(path);
    return true;
  }

  end(): void {
    this.hasEnded = true;
  }
}

const ALONE = { instance: 'a', endpoint: () => '', open: () => Promise.reject(new Error('there is no other')) };

const view = (pipelines: ProcessView['pipelines']): ProcessView => ({
  instance: 'a',
  wallNow: 1_700_000_100_000,
  hasStarted: true,
  isStopping: false,
  lookUpFill: 0,
  pipelines,
});
const looked = (pipelines: ProcessView['pipelines']): Looked => ({
  processes: [view(pipelines)],
  absences: [],
  silences: [],
  workers: [],
});
const instances = [
  { name: 'a', endpoint: '', partitions: [0], standbys: [1] },
  { name: 'b', endpoint: '', partitions: [1, 2], standbys: [] },
];

async function turnOf(clock: ManualClock): Promise<void> {
  const settle = async (): Promise<void> => {
    for (let settled = 0; settled < 20; settled += 1) await Promise.resolve();
  };
  await settle();
  clock.advance(EVERY_MS);
  await settle();
}

/** Counts the looks at each fact. */
function processor(pipelines: () => ProcessView['pipelines']) {
  const clock = new ManualClock();
  const looks = { count: 0 };
  const look = (): Promise<Looked> => {
    looks.count += 1;
    return Promise.resolve(looked(pipelines()));
  };
  const watches = new Watches({ ...ALONE, look, clock });
  return { watches, looks, turn: () => turnOf(clock) };
}

test('a partition is said with who has it, wherever that is, and how far it is where it is here', () => {
  const pipelines = [pipeline({ inputPartitions: 3, instances, standbys: [{ ...standby, partition: 1 }] })];
  const facts = factsOf(looked(pipelines), 'a', new Growth());
  const fact = (path: string): unknown => JSON.parse(facts.get(path) ?? 'null');
  expect(fact('part/visits/0')).toEqual({ role: 'owner', owner: 'a', standbys: [], state: 'running' });
  expect(fact('now/visits/0')).toEqual([1_700_000_000_000, 7, 3, 0, 0.5, 1_700_000_001_000]);
  expect(fact('part/visits/1')).toEqual({ role: 'standby', owner: 'b', standbys: ['a'], state: 'following' });
  expect(fact('part/visits/2')).toEqual({ owner: 'b', standbys: [], state: 'elsewhere' });
  expect(fact('now/visits/2')).toBeNull();
  expect(fact('figures/visits/a')).toMatchObject({
    partitions: 1,
    standbys: 1,
    live: 7,
    lag: 3,
    reasons: { TIMEOUT: 2 },
  });
  expect(fact('figures/visits/a')).toMatchObject({ read: 0, ended: 0, deadLetters: 1 });
});

test('what goes to webhooks is said by endpoint, with the worst of its breakers', () => {
  const counters = { delivered: 3, attemptsFailed: 1, givenUp: 0, parked: 2, superseded: 0 };
  const status = { pipeline: 'visits', endpoint: 'crm', counters, underWay: 1, ready: 4 };
  const deliveries = [
    { ...status, partition: 0, breaker: 'open' as const },
    { ...status, partition: 1, breaker: 'closed' as const },
    { ...status, partition: 0, breaker: 'closed' as const, pipeline: 'other' },
  ];
  const shown = { processes: [{ ...view([pipeline({})]), deliveries }] };
  const facts = factsOf(shown, 'a', new Growth());
  expect(JSON.parse(facts.get('deliveries/visits/a')!)).toEqual([
    { endpoint: 'crm', breaker: 'open', delivered: 6, attemptsFailed: 2, givenUp: 0, parked: 4, underWay: 2, ready: 8 },
  ]);
});

test('what has grown is counted while a task stays, and not again when it comes', () => {
  const growth = new Growth();
  const counters = task({}).counters!;
  const at = (partitions: readonly (readonly [partition: number, read: number])[]): { read: number } => {
    const tasks = partitions.map(([partition, recordsRead]) =>
      task({ partition, counters: { ...counters, recordsRead } }),
    );
    const found = pipeline({ tasks });
    const grown = growth.of(view([found]), found);
    growth.turn();
    return grown;
  };
  expect(at([[0, 100]]).read).toBe(0);
  expect(
    at([
      [0, 130],
      [1, 5_000],
    ]).read,
  ).toBe(30);
  expect(at([[1, 5_001]]).read).toBe(31);
  expect(
    at([
      [0, 900],
      [1, 2],
    ]).read,
  ).toBe(31);
  expect(
    at([
      [0, 901],
      [1, 4],
    ]).read,
  ).toBe(34);
});

describe('who watches', () => {
  test('costs nothing while there is none, and one look while there are many', async () => {
    const { watches, looks, turn } = processor(() => [pipeline({})]);
    await turn();
    expect(looks.count).toBe(0);
    const sinks = [new PageSink(), new PageSink()];
    for (const sink of sinks) watches.add(sink, 'all');
    await turn();
    await turn();
    expect(looks.count).toBe(3);
    expect(sinks.map(({ facts }) => facts.get('pipelines'))).toEqual([['visits'], ['visits']]);
    for (const sink of sinks) watches.remove(sink);
    await turn();
    await turn();
    expect(looks.count).toBe(3);
    watches.add(sinks[0]!, 'all');
    watches.close();
    expect(sinks[0]!.hasEnded).toBe(true);
    await turn();
    expect(looks.count).toBe(4);
  });

  test('a look that takes long is taken less often', async () => {
    const clock = new ManualClock();
    let looks = 0;
    const look = (): Promise<Looked> => {
      looks += 1;
      clock.advance(100);
      return Promise.resolve(looked([]));
    };
    const watches = new Watches({ ...ALONE, look, clock });
    watches.add(new PageSink(), 'all');
    for (let at = 0; at < 20; at += 1) {
      await Promise.resolve();
      await Promise.resolve();
      clock.advance(500);
    }
    expect(looks).toBe(3);
    watches.close();
  });

  test('a worker that is silent holds a look up, and what others tell no longer than that', async () => {
    const clock = new ManualClock();
    let looks = 0;
    const look = (): Promise<Looked> => {
      looks += 1;
      return new Promise((resolve) =>
        clock.after(3_000, () => {
          resolve(looked([]));
        }),
      );
    };
    const watches = new Watches({ ...ALONE, look, clock });
    watches.add(new PageSink(), 'all');
    for (let at = 0; at < 240; at += 1) await turnOf(clock);
    expect(looks).toBeGreaterThan(10);
    watches.close();
  });

  test('another instance that says nothing for long is believed no more, and asked again', async () => {
    const clock = new ManualClock();
    const others = [{ name: 'b', endpoint: 'http://b:1', partitions: [1], standbys: [] }];
    const owned = { role: 'owner', owner: 'b', standbys: [], state: 'running' };
    let opened = 0;
    const watches = new Watches({
      instance: 'a',
      endpoint: () => 'http://a:1',
      look: () => Promise.resolve(looked([pipeline({ inputPartitions: 2, instances: others })])),
      open: (_endpoint, _group, signal) => {
        opened += 1;
        return Promise.resolve(
          (async function* () {
            if (opened === 1) yield `${JSON.stringify({ facts: { 'part/visits/1': owned } })}\n`;
            await new Promise((_, reject) => {
              signal.addEventListener('abort', () => {
                reject(new Error('given up'));
              });
            });
          })(),
        );
      },
      clock,
    });
    const page = new PageSink();
    watches.add(page, 'all');
    await turnOf(clock);
    await turnOf(clock);
    expect(page.facts.get('part/visits/1')).toEqual(owned);
    for (let at = 0; at < 40; at += 1) await turnOf(clock);
    expect([opened, page.facts.get('part/visits/1')]).toEqual([2, { owner: 'b', standbys: [], state: 'elsewhere' }]);
    watches.close();
    await turnOf(clock);
    expect(clock.pending).toBe(0);
  });

  test('is told by other instances of what is theirs, while they are followed, and of nothing else', async () => {
    const clock = new ManualClock();
    const others = [
      { name: 'b', endpoint: 'http://b:1', partitions: [1], standbys: [] },
      { name: 'a', endpoint: 'http://a:1', partitions: [0], standbys: [] },
    ];
    const told = new Map<string, object>([
      ['part/visits/0', { role: 'owner', owner: 'b', standbys: [], state: 'restoring' }],
      ['part/visits/1', { role: 'owner', owner: 'b', standbys: [], state: 'running' }],
      ['now/visits/1', [9, 8, 7]],
      ['figures/visits/b', { live: 8 }],
      ['instance', { name: 'b' }],
    ]);
    const opened: unknown[] = [];
    const hangingUp = Promise.withResolvers<undefined>();
    const watches = new Watches({
      instance: 'a',
      endpoint: () => 'http://a:1',
      look: () => Promise.resolve(looked([pipeline({ inputPartitions: 2, instances: others })])),
      open: (endpoint, group, signal) => {
        opened.push([endpoint, group, signal]);
        const line = `${JSON.stringify({ facts: Object.fromEntries(told) })}\n`;
        return Promise.resolve(
          (async function* () {
            yield line.slice(0, 50);
            yield line.slice(50);
            await hangingUp.promise;
          })(),
        );
      },
      clock,
    });
    const [page, instance] = [new PageSink(), new PageSink()];
    watches.add(instance, 'own');
    await turnOf(clock);
    expect(opened).toEqual([]);
    watches.add(page, 'all');
    await turnOf(clock);
    await turnOf(clock);
    expect(opened).toEqual([['http://b:1', 'shop.visits', expect.any(AbortSignal)]]);
    expect(page.facts.get('instance')).toMatchObject({ name: 'a' });
    expect(page.facts.get('part/visits/0')).toMatchObject({ owner: 'a', state: 'running' });
    expect([page.facts.get('part/visits/1'), page.facts.get('now/visits/1')]).toEqual([
      told.get('part/visits/1'),
      [9, 8, 7],
    ]);
    expect(page.facts.get('figures/visits/b')).toEqual({ live: 8 });
    expect(instance.facts.get('part/visits/1')).toMatchObject({ owner: 'b', state: 'elsewhere' });
    hangingUp.resolve(undefined);
    await turnOf(clock);
    expect([page.facts.get('figures/visits/b'), page.facts.get('part/visits/1')]).toEqual([
      undefined,
      { owner: 'b', standbys: [], state: 'elsewhere' },
    ]);
    const [[, , signal]] = opened as [[string, string, AbortSignal]];
    watches.remove(page);
    await turnOf(clock);
    expect(signal.aborted).toBe(true);
    watches.close();
    expect(clock.pending).toBe(0);
  });

  test('a message is bounded, a move is said before what changes all the time, and nothing is owed for ever', () => {
    const facts = (round: number): Facts =>
      new Map(
        Array.from({ length: 1_000 }, (_, at) => [
          [`now/visits/${at}`, `[1700000000000,${round},0,0,0,1700000009000]`],
          [`part/visits/${at}`, at === 999 ? `"${round}"` : '"a"'],
        ]).flat() as [string, string][],
      );
    const watcher = new Watcher();
    watcher.owes(facts(0).keys());
    expect(watcher.next(facts(0), Infinity)!.length).toBeGreaterThan(MESSAGE_BYTES_MAX);
    watcher.owes(changesBetween(facts(0), facts(1)));
    const seen = new Set<string>();
    for (let messages = 0; ; messages += 1) {
      const message = watcher.next(facts(1));
      if (message === undefined) break;
      expect(message.length).toBeLessThanOrEqual(MESSAGE_BYTES_MAX);
      const said = Object.keys((JSON.parse(message.toString()) as { facts: object }).facts);
      if (messages === 0) expect(said[0]).toBe('part/visits/999');
      for (const path of said) seen.add(path);
    }
    expect(seen.size).toBe(1_001);
  });

  test('pages show what there is once it is calm, whoever has stalled or come late', async () => {
    for (let seed = SEED; seed < SEED + SEEDS; seed += 1) {
      const random = seededRandom(seed);
      let shown = [pipeline({})];
      const { watches, turn } = processor(() => shown);
      const pages: PageSink[] = [];
      for (let step = 0; step < 30; step += 1) {
        const tasks = Array.from({ length: random.below(6) }, (_, partition) =>
          task({ partition, lag: random.below(3) }),
        );
        shown = random.below(10) === 0 ? [] : [pipeline({ inputPartitions: 1 + random.below(6), tasks, instances })];
        if (random.below(5) === 0) watches.add(pages[pages.push(new PageSink()) - 1]!, 'all');
        for (const page of pages) page.hasRoom = random.below(3) > 0;
        await turn();
      }
      for (const page of pages) page.hasRoom = true;
      await turn();
      const facts = Object.fromEntries(
        [...factsOf(looked(shown), 'a', new Growth())].map(([path]) => [path, expect.anything()]),
      );
      for (const page of pages) {
        expect({ seed, paths: [...page.facts.keys()].sort() }).toEqual({ seed, paths: Object.keys(facts).sort() });
        expect({ seed, facts: Object.fromEntries(page.facts) }).toEqual({
          seed,
          facts: Object.fromEntries(pages[0]!.facts),
        });
      }
      watches.close();
    }
  });
});
