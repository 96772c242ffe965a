// The bytes of a session of each shape: in memory, in the changelog, in the local store. All shapes at the same time, each in a
// process of its own, since most of the time is waiting until all is in the local stores.
import type { DurationMs } from '@flatline/base';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createInput, openApplication, type Place } from '../frame/application.ts';
import { POPULATION_SEED } from '../population/population-ground.ts';
import { Instance } from '../processor/instance.ts';
import type { Application } from '../tasks/application.ts';
import { NEVER_MS } from '../tasks/instance-task.ts';
import { writeRecords } from '../writing.ts';
import type { BytesLook, ShapeBytes } from './assembled-page.ts';
import { recordsOf, type Shape } from './shapes.ts';

/** Longest time for which a commit may be missing from a local store (flushIntervalMs). */
const FLUSHED_MS: DurationMs = 66_000;
const COMMIT_INTERVAL_MS: DurationMs = 200;
const LOOK_MS: DurationMs = 200;
const BLOCK_BYTES = 512;

interface Site {
  readonly shape: Shape;
  readonly application: Application;
  readonly instance: Instance;
}

/** Half of the sessions, then all: the difference leaves out what a process takes anyway. @throws Error if a processor fails */
export async function measureBytes(
  place: Place & { readonly onProgress: (what: string) => void },
  shapes: readonly Shape[],
  sessions: number,
): Promise<readonly ShapeBytes[]> {
  const { onProgress } = place;
  const half = Math.ceil(sessions / 2);
  const sites: Site[] = [];
  try {
    for (const shape of shapes) sites.push(await openSite(place, shape));
    onProgress('half of the sessions');
    const first = await filled(place, sites, 0, half);
    onProgress('all of the sessions');
    const all = await filled(place, sites, half, sessions);
    return sites.map(({ shape: { name, does } }, i) => ({
      shape: name,
      does,
      sessions,
      half: first[i]!,
      all: all[i]!,
    }));
  } finally {
    for (const { instance, application } of sites) {
      await instance.kill();
      rmSync(application.stateDir, { recursive: true, force: true });
    }
  }
}

async function openSite(place: Place, shape: Shape): Promise<Site> {
  const application = await openApplication(place);
  const table = `${application.application}.table`;
  await createInput(place, table);
  await createInput(place, `${application.application}.output.stats`);
  const settings = shape.settings(application.topic, table);
  const task = { ...application, timeoutMs: NEVER_MS, commitIntervalMs: COMMIT_INTERVAL_MS, settings };
  return { shape, application, instance: await Instance.alone(task) };
}

async function filled(
  { connection }: Place,
  sites: readonly Site[],
  from: number,
  to: number,
): Promise<readonly BytesLook[]> {
  for (const site of sites) {
    const { shape, application } = site;
    const { topic } = application;
    const records = (partitions: number) => recordsOf(shape, { from, to, seed: POPULATION_SEED, partitions });
    await writeRecords(connection, { topic, records });
    await applied(site, to);
  }
  await delay(FLUSHED_MS);
  return Promise.all(sites.map(looked));
}

/** Waits until all that the sessions numbered below `to` have sent is applied and committed. */
async function applied({ shape: { values }, instance }: Site, to: number): Promise<void> {
  const ends = values.filter((value) => value === null).length;
  await instance.applied((values.length - ends) * to);
  while ((await instance.look()).closed < ends * to) await Promise.race([delay(LOOK_MS), instance.ended]);
  await instance.until((assigned) =>
    assigned.every(({ position, committedPosition }) => position === committedPosition),
  );
}

/** Bytes held, after a collection of garbage. */
export async function looked({ application, instance }: Pick<Site, 'application' | 'instance'>): Promise<BytesLook> {
  const assigned = await instance.assigned();
  const sum = (of: 'changelogBytes' | 'liveBytes'): number =>
    assigned.reduce((total, each) => total + (each[of] ?? 0), 0);
  const { liveSessions, memory } = await instance.look();
  return {
    liveSessions,
    memoryBytes: memory.anonymousBytes,
    changelogBytes: sum('changelogBytes'),
    liveBytes: sum('liveBytes'),
    storeBytes: allocatedIn(application.stateDir),
  };
}

/** By blocks on the disk: LMDB's files are sparse. */
function allocatedIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return files.reduce((sum, file) => sum + BLOCK_BYTES * statSync(join(file.parentPath, file.name)).blocks, 0);
}
