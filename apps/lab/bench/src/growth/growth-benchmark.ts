// What many live sessions cost: a heartbeat's CPU time at populations of very different size, as fast as they are taken and at
// the same rate in all, the memory of a process that holds them, and how long it takes from starting again to the first close.
// Populations take turns.
import type { DurationMs } from '@flatline/base';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import { CloseWatch } from '../failover/close-watch.ts';
import type { Ground } from '../frame/frame.ts';
import { takeTurns } from '../frame/turns.ts';
import type { LoopDelay } from '../loop-delay.ts';
import { type Settlement, settle } from '../population/population-ground.ts';
import type { PopulationAnswer } from '../population/population-task.ts';
import { measurePaced, type PacedCost } from './paced-phase.ts';

export interface GrowthSettings {
  /** The first is what the others are compared with. */
  readonly populations: readonly number[];
  /** Heartbeats of random live sessions that wait to be taken, per population and turn. */
  readonly beats: number;
  /** Before those, and not measured: code is compiled on them. */
  readonly warmUpBeats: number;
  /** The same rate in all populations. */
  readonly beatsPerSecond: number;
  readonly partitions: number;
  readonly repeats: number;
}

export interface GrowthTurn {
  /** Taken as fast as it goes. */
  readonly cpuNsPerBeat: number;
  /** In the same time. */
  readonly loopDelay: LoopDelay;
  readonly paced: PacedCost;
  /** From the start of a process that had ended in good order: until its slowest partition had loaded, and to the first close. */
  readonly restoreMs: DurationMs;
  readonly firstCloseMs: DurationMs;
  /** The same after kill −9: the group has to notice first. */
  readonly restoreAfterKillMs: DurationMs;
  readonly firstCloseAfterKillMs: DurationMs;
}

export interface GrowthRow {
  readonly sessions: number;
  /** After opening all of them. */
  readonly filled: PopulationAnswer;
  readonly turns: readonly GrowthTurn[];
}

type GrowthGround = Ground<GrowthSettings>;

interface Grown {
  readonly sessions: number;
  readonly settlement: Settlement;
  readonly watch: CloseWatch;
  readonly filled: PopulationAnswer;
}

const LOOK_MS: DurationMs = 10;
const PATIENCE_MS: DurationMs = 180_000;

/** @throws Error where a processor fails or stalls, or a close does not come. */
export async function measureGrowth(ground: GrowthGround): Promise<{ readonly rows: readonly GrowthRow[] }> {
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
    for (const { settlement, watch } of grown) {
      await settlement.end();
      await watch.close();
    }
  }
}

async function grow(ground: GrowthGround, sessions: number): Promise<Grown> {
  const settlement = await settle(ground);
  const { load, kafka, task } = settlement;
  try {
    const population = settlement.start();
    await load.open(0, sessions);
    await load.flush();
    const filled = await population.applied(load.beats);
    await population.stop();
    const watch = new CloseWatch(kafka, `${task.application}.output`, task.partitions);
    return { sessions, settlement, watch, filled };
  } catch (error) {
    await settlement.end();
    throw error;
  }
}

/** Two sessions end between processes: closing them at all proves that they were restored. */
async function takeTurn(grown: Grown, repeat: number, settings: GrowthSettings): Promise<GrowthTurn> {
  const { beats, warmUpBeats, beatsPerSecond } = settings;
  const { settlement, sessions } = grown;
  const { load } = settlement;
  const [first, second] = [2 * repeat, 2 * repeat + 1];
  await load.end(first);
  await load.beat(warmUpBeats + beats, sessions);
  await load.flush();
  const startedAt = systemClock.wallMs();
  const population = settlement.start();
  const beaten = await population.applied(warmUpBeats + beats, warmUpBeats);
  const firstCloseMs = (await closeOf(grown, first)) - startedAt;
  await population.kill();
  await load.end(second);
  const startedAgainAt = systemClock.wallMs();
  const successor = settlement.start();
  const firstCloseAfterKillMs = (await closeOf(grown, second)) - startedAgainAt;
  const { restoreMs } = await successor.look();
  const paced = await measurePaced(settlement, successor, sessions, beatsPerSecond);
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

/** When it was seen, by the wall clock of this process. */
async function closeOf({ settlement, watch }: Grown, session: number): Promise<number> {
  const { load } = settlement;
  const [partition, key] = [load.partitionOf(session), load.keyOf(session)];
  const until = systemClock.monotonicMs() + PATIENCE_MS;
  for (;;) {
    const seen = watch.of(partition).find(({ sessionId }) => sessionId === key);
    if (seen !== undefined) return seen.seenAt;
    if (systemClock.monotonicMs() > until) throw new Error(`session ${key} has ended and is not closed`);
    await delay(LOOK_MS);
  }
}
