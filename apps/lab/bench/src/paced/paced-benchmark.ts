// What a heartbeat costs at the same rate for everyone: while catching up, a faster contender also has larger batches
// and more heartbeats of one session between two commits. Contenders take turns; each starts from the state it has kept.
import type { DurationMs } from '@flatline/base';
import { KafkaLogAdmin } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import type { Ground } from '../frame/frame.ts';
import { takeTurns } from '../frame/turns.ts';
import { type InputLook, lookAtInput, type WatchedInput } from '../input-delay.ts';
import { POPULATION_SEED, type Settlement, settle } from '../population/population-ground.ts';
import { startSteadyLoad } from '../population/steady-load.ts';
import { processCpuMs, processRssBytes } from '../process-stat.ts';
import type { PacedContender, RunningPaced } from './paced-contenders.ts';

interface PacedSettings {
  readonly populations: readonly number[];
  readonly eventsPerSecond: number;
  readonly partitions: number;
  /** Turns of each contender with each population. */
  readonly repeats: number;
}

export interface PacedTurn {
  readonly contender: string;
  readonly sessions: number;
  /** Committed. */
  readonly events: number;
  readonly elapsedMs: DurationMs;
  readonly cpuMs: DurationMs;
  /** Undefined where the broker's processes are not ours to see. */
  readonly brokerCpuMs: DurationMs | undefined;
  readonly rssBytes: number | undefined;
  /** In the log and not committed at the end. */
  readonly behind: number;
}

/** Until code is compiled, and our local stores have been flushed once: each 15 s. */
const WARM_UP_MS: DurationMs = 15_000;
/** Every local store is flushed twice. */
const MEASURED_MS: DurationMs = 30_000;
const LOOK_MS: DurationMs = 250;
const PATIENCE_MS: DurationMs = 600_000;
/** Most events that a contender which has caught up has still to commit. */
const BEHIND_MAX = 1_000;

type PacedGround = Ground<PacedSettings>;

interface Settled {
  readonly contender: PacedContender;
  readonly settlement: Settlement;
  readonly sessions: number;
}

/** @throws Error where a contender fails, or does not get through what is there before */
export async function measurePaced(
  ground: PacedGround,
  contenders: readonly PacedContender[],
): Promise<{ readonly turns: readonly PacedTurn[] }> {
  const turns: PacedTurn[] = [];
  for (const sessions of ground.populations) turns.push(...(await measurePopulation(ground, contenders, sessions)));
  return { turns };
}

async function measurePopulation(
  ground: PacedGround,
  contenders: readonly PacedContender[],
  sessions: number,
): Promise<readonly PacedTurn[]> {
  const settled: Settled[] = [];
  try {
    for (const contender of contenders) {
      ground.onProgress(`${contender.name}: opening ${sessions.toLocaleString('en')} sessions`);
      const each = { contender, settlement: await settle(ground), sessions };
      settled.push(each);
      await fill(ground, each);
    }
    const cells = settled.map((each) => ({
      name: `${each.contender.name}: ${sessions.toLocaleString('en')} sessions`,
      take: (repeat: number) => takeTurn(ground, each, repeat),
    }));
    return (await takeTurns(cells, ground)).turns.flat();
  } finally {
    for (const { settlement } of settled) await settlement.end();
  }
}

async function fill(ground: PacedGround, settled: Settled): Promise<void> {
  const { contender, settlement, sessions } = settled;
  const running = await contender.start(settlement, { before: 0, sessions });
  await settlement.load.open(0, sessions);
  await settlement.load.flush();
  await caughtUp(ground, settled);
  await running.stop();
}

async function takeTurn(ground: PacedGround, settled: Settled, repeat: number): Promise<PacedTurn> {
  const { contender, settlement, sessions } = settled;
  const { task, load } = settlement;
  const running = await contender.start(settlement, { before: sessions, sessions });
  await caughtUp(ground, settled);
  const beats = startSteadyLoad({
    brokers: task.brokers,
    topic: task.topic,
    seed: POPULATION_SEED,
    written: load.beats + repeat + 1,
    sessions,
    eventsPerSecond: ground.eventsPerSecond,
  });
  try {
    await delay(WARM_UP_MS);
    const span = await measured(ground, settled, running);
    await beats.stop();
    return { contender: contender.name, sessions, ...span };
  } finally {
    beats.kill();
    await running.stop();
  }
}

async function measured(
  ground: PacedGround,
  settled: Settled,
  { pid }: RunningPaced,
): Promise<Omit<PacedTurn, 'contender' | 'sessions'>> {
  const { brokerCpu } = ground;
  const first = await look(ground, settled);
  const [ownBefore, brokerBefore] = [processCpuMs(pid), brokerCpu.nowMs()];
  await delay(MEASURED_MS);
  const [own, brokerCpuMs] = [processCpuMs(pid), brokerCpu.sinceMs(brokerBefore)];
  const rssBytes = processRssBytes(pid);
  const last = await look(ground, settled);
  if (own === undefined || ownBefore === undefined) throw new Error(`${settled.contender.name} ended, or is not seen`);
  return {
    events: sum(last.committed) - sum(first.committed),
    elapsedMs: last.atMs - first.atMs,
    cpuMs: own - ownBefore,
    brokerCpuMs,
    rssBytes,
    behind: sum(last.ends) - sum(last.committed),
  };
}

async function caughtUp(ground: PacedGround, settled: Settled): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const { ends, committed } = await look(ground, settled);
    if (sum(ends) - sum(committed) <= BEHIND_MAX) return;
    if (performance.now() > until)
      throw new Error(`${settled.contender.name} has committed ${sum(committed)} of ${sum(ends)} records`);
    await delay(LOOK_MS);
  }
}

function look(ground: PacedGround, { contender, settlement }: Settled): Promise<InputLook> {
  const { topic, partitions, application } = settlement.task;
  const input: WatchedInput = { topic, partitions, group: contender.groupOf(application) };
  const { connection } = ground;
  return lookAtInput(new KafkaLogAdmin({ clock: systemClock, connection }), input);
}

function sum(offsets: readonly number[]): number {
  return offsets.reduce((all, offset) => all + offset, 0);
}
