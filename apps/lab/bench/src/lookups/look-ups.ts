// Look-ups: CPU of a key over that of a bare GET of Fastify's, in one run; delays beside heartbeats at half capacity; what is
// answered once an owner is dead; and keys a second in the process itself.
import { type DurationMs, partitionOf } from '@flatline/base';
import { setTimeout as delay } from 'node:timers/promises';
import { once } from 'node:events';
import { sibling } from '../apart.ts';
import { startBeats } from '../beats.ts';
import { forked, type Forked } from '../forked.ts';
import { withApplication } from '../frame/application.ts';
import { framed, type Ground, over } from '../frame/frame.ts';
import { takeTurns } from '../frame/turns.ts';
import { sessionKey } from '../session-key.ts';
import { PopulationLoad } from '../population/population-load.ts';
import { Instance } from '../processor/instance.ts';
import { quantilesOf } from '../statistics.ts';
import { type Application, PIPELINE } from '../tasks/application.ts';
import { NEVER_MS } from '../tasks/instance-task.ts';
import { short } from '../text-table.ts';
import { type Asked, HttpLoad } from './http-load.ts';
import { type LoadedTurn, lookUpPage, lookUpRows, type LookUpTurn, type LostTurn } from './look-ups-page.ts';

/** Sessions: live, all of them looked up. Events: requests of each way to ask, in each turn. */
const DEFAULTS = { sessions: 1_000_000, events: 60_000, partitions: 4, repeats: 3, lookUpsPerSecond: 5_000 };
type LookUpGround = Ground<typeof DEFAULTS>;

const SEED = 1;
/** Heartbeats come to others than those that are looked up. */
const BEATING_SEED = 2;
/** Under way where CPU is measured: more than what servers answer while the client rests. */
const AT_ONCE = 200;
const BATCH = 100;
/** Requests a second where delays are measured: of each way a thousand or more. */
const CALM_PER_SECOND = 1_000;
const CALM_BATCHES_PER_SECOND = 200;
const CALM_MS: DurationMs = 5_000;
const WARM_REQUESTS = 2_000;
const EMBEDDED_KEYS = 2_000_000;
const KEYS_HELD_MAX = 50_000;
const WARM_UP_MS: DurationMs = 5_000;
const MEASURED_MS: DurationMs = 20_000;
const LOST_WITHIN_MS: DurationMs = 20_000;
const LOOK_MS: DurationMs = 10;

export const lookUps = framed({
  name: 'look-ups',
  description:
    'keys looked up over HTTP, at their owner and through another instance, beside a bare GET; and under load',
  settings: (options) => over(DEFAULTS, options),
  conditions: ({ sessions, events, partitions, lookUpsPerSecond }) =>
    `${short(sessions)} live sessions on two instances, ${partitions} partitions; ${short(events)} requests of each way to ask, ` +
    `${AT_ONCE} at a time, for CPU; for delays ${short(CALM_PER_SECOND)} a second, or ${CALM_BATCHES_PER_SECOND} batches; under load ${short(lookUpsPerSecond)} look-ups a second`,
  measure: measureLookUps,
  report: (measured) => ({ rows: lookUpRows(measured.turns), page: lookUpPage(measured) }),
});

interface LookUpMeasurement {
  readonly turns: readonly LookUpTurn[];
  readonly loaded: readonly LoadedTurn[];
  readonly lost: readonly LostTurn[];
  /** In the process itself, in batches. */
  readonly embeddedPerSecond: number;
}

/** Two instances of one application, with the population in them. */
interface Pair {
  readonly application: Application;
  readonly instances: readonly [Instance, Instance];
  readonly address: string;
  /** Keys, percent-encoded, whose owner is the instance that is asked, and the other one. */
  readonly near: readonly string[];
  readonly far: readonly string[];
}

async function measureLookUps(ground: LookUpGround): Promise<LookUpMeasurement> {
  const measured = await withPair(ground, { standbys: 0, sessions: ground.sessions }, async (pair) => ({
    turns: await costs(ground, pair),
    embeddedPerSecond: await embedded(ground, pair),
    loaded: await underLoad(ground, pair),
  }));
  const lost: LostTurn[] = [];
  for (let repeat = 0; repeat < ground.repeats; repeat += 1)
    for (const standbys of [0, 1]) {
      ground.onProgress(`an owner lost, ${standbys} standbys, ${repeat + 1} of ${ground.repeats}`);
      const few = { standbys, sessions: Math.min(ground.sessions, 10_000) };
      lost.push(await withPair(ground, few, (pair) => ownerLost(pair, standbys)));
    }
  return { ...measured, lost };
}

async function withPair<T>(
  ground: LookUpGround,
  { standbys, sessions }: { readonly standbys: number; readonly sessions: number },
  use: (pair: Pair) => Promise<T>,
): Promise<T> {
  return withApplication(ground, async (application) => {
    const start = (instance: string): Instance => {
      const stateDir = `${application.stateDir}/${instance}`;
      return new Instance({ ...application, stateDir, instance, standbys, timeoutMs: NEVER_MS, isKeyed: true });
    };
    const instances = [start('a'), start('b')] as const;
    try {
      ground.onProgress(`${short(sessions)} sessions`);
      const half = application.partitions / 2;
      const isRunning = ({ role, state }: { readonly role: string; readonly state: string }): boolean =>
        role === 'owner' && state === 'running';
      for (const instance of instances) await instance.until((assigned) => assigned.filter(isRunning).length === half);
      const load = await PopulationLoad.open(ground.connection, application.topic, { seed: SEED, isKeyed: true });
      await load.open(0, sessions);
      await load.close();
      await untilCommitted(instances, sessions);
      const address = await instances[0].address();
      const keys = await keysBySide(address, application.partitions, sessions);
      return await use({ application, instances, address, ...keys });
    } finally {
      await Promise.all(instances.map((instance) => instance.kill()));
    }
  });
}

/** All of the population lives, and is committed. */
async function untilCommitted(instances: readonly Instance[], sessions: number): Promise<void> {
  for (;;) {
    const rows = (await Promise.all(instances.map((each) => each.assigned()))).flat();
    const own = rows.filter(({ role }) => role === 'owner');
    const live = own.reduce((sum, { liveEntries }) => sum + liveEntries, 0);
    if (live >= sessions && own.every((each) => each.position === each.committedPosition)) return;
    await delay(LOOK_MS);
  }
}

async function keysBySide(
  address: string,
  partitions: number,
  sessions: number,
): Promise<{ readonly near: readonly string[]; readonly far: readonly string[] }> {
  const answer = await fetch(`${address}/api/v1/owners/${PIPELINE}`);
  const { partitions: rows } = (await answer.json()) as {
    readonly partitions: readonly { readonly partition: number; readonly owner: { readonly name: string } }[];
  };
  const mine = new Set(rows.filter(({ owner }) => owner.name === 'a').map(({ partition }) => partition));
  const [near, far]: string[][] = [[], []];
  for (let session = 0; session < sessions && near!.length < KEYS_HELD_MAX; session += 1) {
    const key = sessionKey(session, SEED);
    (mine.has(partitionOf(key, partitions)) ? near! : far!).push(key.toString('latin1'));
  }
  return { near: near!, far: far! };
}

const byKey = (key: string): string => `/api/v1/entries/${PIPELINE}/${key}`;
const batchOf = (keys: readonly string[], from: number): string =>
  JSON.stringify({ keys: Array.from({ length: BATCH }, (_, i) => keys[(from * BATCH + i) % keys.length]) });

async function costs(ground: LookUpGround, pair: Pair): Promise<readonly LookUpTurn[]> {
  const { events } = ground;
  const { address, near, far, instances } = pair;
  const bare = await BareServer.start();
  const load = new HttpLoad();
  const at = (keys: readonly string[], index: number): string => keys[index % keys.length]!;
  const path = `/api/v1/entries/${PIPELINE}:lookup`;
  const ways: readonly Way[] = [
    { way: 'bare GET', keys: 1, nth: (i) => ({ address: bare.address, path: `/bare/${at(near, i)}` }) },
    { way: 'local', keys: 1, nth: (i) => ({ address, path: byKey(at(near, i)) }) },
    { way: 'forwarded', keys: 1, nth: (i) => ({ address, path: byKey(at(far, i)) }) },
    { way: 'local, 100 at once', keys: BATCH, nth: (i) => ({ address, path, body: batchOf(near, i) }) },
    { way: 'forwarded, 100 at once', keys: BATCH, nth: (i) => ({ address, path, body: batchOf(far, i) }) },
    { way: 'local, proof=now', keys: 1, nth: (i) => ({ address, path: `${byKey(at(near, i))}?proof=now` }) },
    { way: 'forwarded, proof=now', keys: 1, nth: (i) => ({ address, path: `${byKey(at(far, i))}?proof=now` }) },
  ];
  try {
    const cells = ways.map((way) => ({
      name: way.way,
      take: () => costOf(way, { load, bare, instances, requests: Math.ceil(events / (way.keys === 1 ? 1 : 10)) }),
    }));
    // Code is compiled, and connections are open.
    for (const { take } of cells) await take();
    const { turns } = await takeTurns(cells, ground);
    return turns.flat();
  } finally {
    load.close();
    bare.end();
  }
}

interface Way {
  readonly way: string;
  /** Keys of one request. */
  readonly keys: number;
  readonly nth: (index: number) => Asked;
}

interface Measuring {
  readonly load: HttpLoad;
  readonly bare: BareServer;
  readonly instances: Pair['instances'];
  readonly requests: number;
}

/** CPU of all servers that take part: of the one that is asked, and of the one that it asks. */
async function costOf({ way, keys, nth }: Way, { load, bare, instances, requests }: Measuring): Promise<LookUpTurn> {
  const isBare = way === 'bare GET';
  // Connections that were idle have been closed.
  await load.closed(Math.min(requests, WARM_REQUESTS), AT_ONCE, nth);
  if (isBare) await bare.begin();
  else for (const instance of instances) instance.beginCpu();
  const startedAt = performance.now();
  await load.closed(requests, AT_ONCE, nth);
  const elapsedMs = performance.now() - startedAt;
  const cpuMs = isBare
    ? await bare.cost()
    : (await Promise.all(instances.map((each) => each.cpuMs()))).reduce((sum, each) => sum + each, 0);
  const { durations, unsaid } = await load.paced(keys === 1 ? CALM_PER_SECOND : CALM_BATCHES_PER_SECOND, CALM_MS, nth);
  if (unsaid > 0) throw new Error(`${way}: ${unsaid} of ${durations.length + unsaid} requests were not answered`);
  return { way, keys: requests * keys, elapsedMs, cpuMs, ...quantilesOf(durations) };
}

async function embedded(ground: LookUpGround, { instances }: Pair): Promise<number> {
  ground.onProgress('in the process itself');
  const of = { seed: SEED, sessions: ground.sessions, batch: BATCH };
  const { elapsedMs } = await instances[0].ask({ kind: 'lookUps', keys: EMBEDDED_KEYS, of });
  return (1_000 * EMBEDDED_KEYS) / elapsedMs;
}

/** Heartbeats at half of what both take together, first alone, then beside look-ups, half of them forwarded. */
async function underLoad(ground: LookUpGround, pair: Pair): Promise<readonly LoadedTurn[]> {
  const { brokers, sessions, lookUpsPerSecond, repeats, onProgress } = ground;
  const { application, instances, address, near, far } = pair;
  const capacity = await capacityOf(ground, pair);
  const load = new HttpLoad();
  const turns: LoadedTurn[] = [];
  const beats = startBeats({
    brokers,
    topic: application.topic,
    seed: BEATING_SEED,
    sessions,
    isKeyed: true,
    eventsPerSecond: Math.round(capacity / 2),
  });
  try {
    await delay(WARM_UP_MS);
    for (let repeat = 0; repeat < repeats; repeat += 1)
      for (const perSecond of [0, lookUpsPerSecond]) {
        onProgress(`heartbeats beside ${perSecond} look-ups a second, ${repeat + 1} of ${repeats}`);
        const nth = (i: number): Asked => {
          const keys = i % 2 === 0 ? near : far;
          return { address, path: byKey(keys[(i >>> 1) % keys.length]!) };
        };
        // Its first second, in which 256 connections are opened at once, would be the hundredth that p99 is.
        if (perSecond > 0) await load.paced(perSecond, WARM_UP_MS, nth);
        const watched = Promise.all(instances.map((each) => each.watch(MEASURED_MS)));
        const { durations, unsaid } =
          perSecond === 0 ? { durations: [], unsaid: 0 } : await load.paced(perSecond, MEASURED_MS, nth);
        const spans = await watched;
        const heartbeats = spans.reduce((sum, each) => sum + (1_000 * each.heartbeats) / each.elapsedMs, 0);
        const asked = (1_000 * durations.length) / MEASURED_MS;
        const figures = { asked, unsaid, heartbeatsPerSecond: heartbeats, ...quantilesOf(durations) };
        turns.push({ lookUpsPerSecond: perSecond, ...figures });
      }
  } finally {
    load.close();
    await beats.stop();
  }
  return turns;
}

/** Heartbeats a second from the first that is sent until the last is applied. */
async function capacityOf({ connection, sessions, onProgress }: LookUpGround, pair: Pair): Promise<number> {
  onProgress('heartbeats as fast as they are taken');
  const { application, instances } = pair;
  const load = await PopulationLoad.open(connection, application.topic, { seed: BEATING_SEED, isKeyed: true });
  const startedAt = performance.now();
  await load.open(0, sessions);
  await load.close();
  await untilCommitted(instances, 2 * sessions);
  return (1_000 * sessions) / (performance.now() - startedAt);
}

/** Kills the other instance, and asks for one of its keys until something is said of it. */
async function ownerLost({ instances, address, far }: Pair, standbys: number): Promise<LostTurn> {
  const [, other] = instances;
  if (standbys > 0)
    await instances[0].until((assigned) => assigned.some(({ role, lag }) => role === 'standby' && lag === 0));
  await other.kill();
  const startedAt = performance.now();
  let firstMs: DurationMs | undefined;
  let slowestMs = 0;
  const load = new HttpLoad();
  try {
    while (performance.now() - startedAt < LOST_WITHIN_MS) {
      const askedAt = performance.now();
      const path = byKey(far[0]!);
      const { state, from } = JSON.parse(await load.ask({ address, path }, [200, 404, 503])) as {
        readonly state: string;
        readonly from?: string;
      };
      if (state === 'none') throw new Error('a false none was said of a session that lives');
      const now = performance.now();
      slowestMs = Math.max(slowestMs, now - askedAt);
      firstMs ??= now - startedAt;
      if (state === 'live') return { standbys, firstMs, liveMs: now - startedAt, by: from!, slowestMs };
      await delay(LOOK_MS);
    }
  } finally {
    load.close();
  }
  return { standbys, firstMs: firstMs!, liveMs: undefined, by: '', slowestMs };
}

class BareServer {
  readonly address: string;
  readonly #process: Forked;

  private constructor(process: Forked, address: string) {
    this.#process = process;
    this.address = address;
  }

  static async start(): Promise<BareServer> {
    const running = forked(sibling(import.meta.filename, 'bare-server'), [], process.execArgv, 'the bare server');
    const [address] = (await Promise.race([once(running.child, 'message'), running.ended])) as [string];
    return new BareServer(running, address);
  }

  begin(): Promise<number> {
    return this.#ask('begin');
  }

  /** CPU since `begin`, ms. */
  cost(): Promise<number> {
    return this.#ask('cost');
  }

  end(): void {
    this.#process.child.disconnect();
  }

  async #ask(question: 'begin' | 'cost'): Promise<number> {
    const answer = once(this.#process.child, 'message');
    this.#process.tell(question);
    return ((await Promise.race([answer, this.#process.ended])) as [number])[0];
  }
}
