// The memory that a live bare session takes in a processor: two populations of different size in one process, so that memory
// taken anyway cancels out. Also shows whether memory stays constant while sessions come and go.
import type { DurationMs } from '@flatline/base';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import { framed, type Ground } from '../frame/frame.ts';
import { type PopulationSite, openSite } from '../population/population-ground.ts';
import type { Instance } from '../processor/instance.ts';
import type { InstanceAnswer } from '../tasks/instance-task.ts';
import {
  type ChurnFigures,
  churnFigures,
  type ChurnSample,
  memoryPage,
  memoryRows,
  type PopulationMemory,
} from './memory-page.ts';

interface MemorySettings {
  readonly populations: readonly number[];
  readonly partitions: number;
  /** Time for which sessions come and go, after the warm-up; 0: they do not. */
  readonly minutes: number;
  readonly warmMs: DurationMs;
  readonly churningSessions: number;
}

type MemoryGround = Ground<MemorySettings>;

const POPULATIONS: readonly number[] = [1_000_000, 10_000_000];
const CHURNING_SESSIONS = 200_000;
/**
 * By half of the sessions, temporary memory of loading them (blocks that wait for the local store, pages that the heap and LMDB keep
 * for reuse) has reached its final size, which belongs to no session.
 */
const FIRST_PART = 0.5;
/** Beats before the first look, for the same reason. */
const WARMING_BEATS = 3_000_000;
/** Longest time for which a commit may be missing from a local store (flushIntervalMs). */
const FLUSH_MS: DurationMs = 61_000;
const FLUSHED_MS: DurationMs = 5_000;
const CHURN_TIMEOUT_MS: DurationMs = 20_000;
/** A session beats when it begins and once more half a timeout later. */
const SECOND_BEAT_MS: DurationMs = CHURN_TIMEOUT_MS / 2;
const CHURN_LIFE_MS: DurationMs = CHURN_TIMEOUT_MS + SECOND_BEAT_MS;
/** Uncounted churn: buffers and the heap reach their size in some minutes. */
const WARM_MS: DurationMs = 10 * CHURN_LIFE_MS;
const TURN_MS: DurationMs = 50;
const SAMPLE_MS: DurationMs = 5_000;

interface MemoryMeasurement {
  readonly populations: readonly PopulationMemory[];
  /** Undefined, with no samples, if no sessions came and went. */
  readonly churn: ChurnFigures | undefined;
  readonly samples: readonly ChurnSample[];
}

export const memory = framed({
  name: 'memory',
  description: 'resident memory per live session, and whether it stays while sessions come and go',
  settings: ({ sessions, partitions = 4, minutes = 0 }) => ({
    populations: sessions === undefined ? POPULATIONS : [sessions],
    partitions,
    minutes,
    warmMs: WARM_MS,
    churningSessions: CHURNING_SESSIONS,
  }),
  measure: measureMemory,
  report: ({ populations, churn }) => ({ rows: memoryRows(populations), page: memoryPage(churn) }),
});

/** @throws Error if a processor fails or stalls. */
async function measureMemory(ground: MemoryGround): Promise<MemoryMeasurement> {
  const { minutes, warmMs, churningSessions, onProgress } = ground;
  const populations: PopulationMemory[] = [];
  for (const size of ground.populations) populations.push(await measurePopulation(ground, size));
  if (minutes === 0) return { populations, churn: undefined, samples: [] };
  onProgress(`${churningSessions.toLocaleString('en')} sessions that come and go for ${minutes} minutes`);
  const samples = await measureChurn(ground, churningSessions, warmMs + 60_000 * minutes);
  return { populations, churn: churnFigures(samples, warmMs), samples };
}

async function measurePopulation(ground: MemoryGround, sessions: number): Promise<PopulationMemory> {
  const { onProgress } = ground;
  const site = await openSite(ground);
  const { load } = site;
  try {
    const half = Math.ceil(sessions * FIRST_PART);
    onProgress(`${sessions.toLocaleString('en')} sessions: half of them`);
    const population = site.start();
    await load.open(0, half);
    await load.beat(WARMING_BEATS, half);
    const first = await atRest(site, population);
    onProgress(`${sessions.toLocaleString('en')} sessions: all of them`);
    await load.open(half, sessions);
    return { sessions, half: first, all: await atRest(site, population) };
  } finally {
    await site.end();
  }
}

/** Waits until all of the input is applied, committed and in the local store. */
async function atRest({ load, task }: PopulationSite, population: Instance): Promise<InstanceAnswer> {
  await load.flush();
  await population.applied(load.beats);
  await delay(FLUSH_MS);
  await load.open(0, task.partitions);
  await load.flush();
  await population.applied(load.beats);
  await delay(FLUSHED_MS);
  return population.look();
}

/** Sessions begin at a steady rate and end by silence, so that `sessions` live at any time, for `runMs`. */
async function measureChurn(
  ground: MemoryGround,
  sessions: number,
  runMs: DurationMs,
): Promise<readonly ChurnSample[]> {
  const site = await openSite(ground, CHURN_TIMEOUT_MS);
  const population = site.start();
  const stop = new AbortController();
  const writing = churn(site, sessions / CHURN_LIFE_MS, stop.signal);
  try {
    return await Promise.race([sampled(population, runMs), writing.then(() => [])]);
  } finally {
    stop.abort();
    await writing;
    await site.end();
  }
}

async function churn({ load }: PopulationSite, perMs: number, stop: AbortSignal): Promise<void> {
  const from = systemClock.monotonicMs();
  let opened = 0;
  let beaten = 0;
  while (!stop.aborted) {
    const ageMs = systemClock.monotonicMs() - from;
    const toOpen = Math.floor(ageMs * perMs);
    const toBeat = Math.floor(Math.max(0, ageMs - SECOND_BEAT_MS) * perMs);
    await load.open(opened, toOpen);
    await load.open(beaten, toBeat);
    [opened, beaten] = [toOpen, toBeat];
    await delay(TURN_MS);
  }
}

async function sampled(population: Instance, runMs: DurationMs): Promise<readonly ChurnSample[]> {
  const from = systemClock.monotonicMs();
  const samples: ChurnSample[] = [];
  for (;;) {
    const { liveSessions, closed, memory } = await population.look();
    const atMs = systemClock.monotonicMs() - from;
    samples.push({ atMs, liveSessions, closed, anonymousBytes: memory.anonymousBytes, rssBytes: memory.rssBytes });
    if (atMs >= runMs) return samples;
    await delay(SAMPLE_MS);
  }
}
