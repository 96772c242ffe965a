// The cost of many live sessions: a heartbeat's CPU time at populations of very different size, at full speed and at
// the same rate in all, the memory of a process that holds them, and the time from a restart to the first close.
// Populations take turns.
import type { DurationMs } from '@flatline/base';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import { startBeats, STEADY } from '../beats.ts';
import { CloseWatch } from '../close-watch.ts';
import { framed, type Ground, over } from '../frame/frame.ts';
import { takeTurns } from '../frame/turns.ts';
import { POPULATION_SEED, type PopulationSite, openSite } from '../population/population-ground.ts';
import type { Instance } from '../processor/instance.ts';
import type { InstanceAnswer } from '../tasks/instance-task.ts';
import { growthPage, growthRows, type GrowthTurn, type GrowthTurns, type PacedCost } from './growth-page.ts';

/** The others are compared with the first. */
const POPULATIONS: readonly number[] = [100_000, 1_000_000, 10_000_000, 15_000_000];
const DEFAULTS = {
  /** Before the measured ones: code is compiled on them. */
  warmUpBeats: 1_500_000,
  /** The same rate in all populations. */
  beatsPerSecond: 100_000,
  repeats: 3,
  partitions: 4,
};
/** Heartbeats of random live sessions to be taken, per population and turn. */
const BEATS = 6_000_000;

type GrowthSettings = typeof DEFAULTS & { readonly beats: number; readonly populations: readonly number[] };
type GrowthGround = Ground<GrowthSettings>;

interface Grown {
  readonly sessions: number;
  readonly site: PopulationSite;
  readonly watch: CloseWatch;
  readonly filled: InstanceAnswer;
}

const LOOK_MS: DurationMs = 10;
const PATIENCE_MS: DurationMs = 180_000;
const IDLE_MS: DurationMs = 10_000;

export const growth = framed({
  name: 'growth',
  description: 'a heartbeat, a process and its restart with 100 thousand to 15 million live sessions',
  settings: (options) => {
    const { sessions: most = POPULATIONS.at(-1)!, events: beats = BEATS } = options;
    return { ...over(DEFAULTS, options), beats, populations: [...POPULATIONS.filter((size) => size < most), most] };
  },
  measure: measureGrowth,
  report: ({ rows }, settings) => ({ rows: growthRows(rows), page: growthPage({ ...settings, ...STEADY }) }),
});

/** @throws Error if a processor fails or stalls, or a close does not come. */
async function measureGrowth(ground: GrowthGround): Promise<{ readonly rows: readonly GrowthTurns[] }> {
  const grown: Grown[] = [];
  try {
    for (const sessions of ground.populations) {
      ground.onProgress(`opening ${sessions.toLocaleString('en')} sessions`);
      grown.push(await grow(ground, sessions));
    }
    const cells = grown.map((each) => ({
      name: `${each.sessions.toLocaleString('en')} sessions`,
      take: (repeat: number) => takeTurn(each, repeat, ground),
    }));
    const { turns } = await takeTurns(cells, ground);
    return { rows: grown.map(({ sessions, filled }, index) => ({ sessions, filled, turns: turns[index]! })) };
  } finally {
    for (const { site, watch } of grown) {
      await site.end();
      await watch.close();
    }
  }
}

async function grow(ground: GrowthGround, sessions: number): Promise<Grown> {
  const site = await openSite(ground);
  const { load, task } = site;
  try {
    const population = site.start();
    await load.open(0, sessions);
    await load.flush();
    const filled = await population.applied(load.beats);
    await population.stop();
    const watch = new CloseWatch(ground.kafka, `${task.application}.output`, task.partitions);
    return { sessions, site, watch, filled };
  } catch (error) {
    await site.end();
    throw error;
  }
}

/** Two sessions end between processes: closing them at all proves that they were restored. */
async function takeTurn(grown: Grown, repeat: number, settings: GrowthSettings): Promise<GrowthTurn> {
  const { beats, warmUpBeats, beatsPerSecond } = settings;
  const { site, sessions } = grown;
  const { load } = site;
  const [first, second] = [2 * repeat, 2 * repeat + 1];
  await load.end(first);
  await load.beat(warmUpBeats + beats, sessions);
  await load.flush();
  const startedAt = systemClock.wallMs();
  const population = site.start();
  const beaten = await population.applied(warmUpBeats + beats, warmUpBeats);
  const firstCloseMs = (await closeOf(grown, first)) - startedAt;
  await population.kill();
  await load.end(second);
  const startedAgainAt = systemClock.wallMs();
  const successor = site.start();
  const firstCloseAfterKillMs = (await closeOf(grown, second)) - startedAgainAt;
  const { restoreMs } = await successor.look();
  const paced = await measurePaced(grown, successor, beatsPerSecond);
  await successor.stop();
  return {
    cpuNsPerBeat: (1e6 * beaten.cpuMs) / beaten.heartbeats,
    loopDelay: beaten.loopDelay!,
    paced,
    restoreMs: beaten.restoreMs,
    firstCloseMs,
    restoreAfterKillMs: restoreMs,
    firstCloseAfterKillMs,
  };
}

/**
 * The cost of a heartbeat at the paced rate. @throws Error if an instance ends, or the process that sends
 * @param instance runs, and has nothing left to read
 */
async function measurePaced(
  { site: { task, load }, sessions }: Grown,
  instance: Instance,
  eventsPerSecond: number,
): Promise<PacedCost> {
  const { brokers, topic } = task;
  const beats = startBeats({ brokers, topic, seed: POPULATION_SEED, written: load.beats, sessions, eventsPerSecond });
  try {
    await delay(STEADY.warmUpMs);
    const paced = await instance.watch(STEADY.measuredMs);
    await beats.stop();
    await delay(STEADY.settleMs);
    const idle = await instance.watch(IDLE_MS);
    return {
      heartbeatsPerSecond: (1_000 * paced.heartbeats) / paced.elapsedMs,
      cpuMsPerSecond: (1_000 * paced.cpuMs) / paced.elapsedMs,
      idleCpuMsPerSecond: (1_000 * idle.cpuMs) / idle.elapsedMs,
      loopDelay: paced.loopDelay!,
    };
  } finally {
    beats.kill();
  }
}

/** Instant at which it was seen, by the wall clock of this process. */
async function closeOf({ site, watch }: Grown, session: number): Promise<number> {
  const { load } = site;
  const [partition, key] = [load.partitionOf(session), load.keyOf(session)];
  const until = systemClock.monotonicMs() + PATIENCE_MS;
  for (;;) {
    const seen = watch.of(partition).find(({ sessionId }) => sessionId === key);
    if (seen !== undefined) return seen.seenAt;
    if (systemClock.monotonicMs() > until) throw new Error(`session ${key} has ended and is not closed`);
    await delay(LOOK_MS);
  }
}
