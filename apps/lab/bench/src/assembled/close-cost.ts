// The cost of a close with and without statistics: explicit ends of sessions that all live, sent as fast as the broker takes them.
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createInput, openApplication } from '../frame/application.ts';
import type { Ground } from '../frame/frame.ts';
import { takeTurns } from '../frame/turns.ts';
import { removeTopics } from '../kafkajs-topic-removal.ts';
import { POPULATION_SEED } from '../population/population-ground.ts';
import { Instance } from '../processor/instance.ts';
import type { Application } from '../tasks/application.ts';
import { NEVER_MS } from '../tasks/instance-task.ts';
import { writeRecords } from '../writing.ts';
import type { CloseTurn } from './assembled-page.ts';
import { recordsOf, STATS } from './shapes.ts';

interface CloseSettings {
  readonly closes: number;
  readonly repeats: number;
  readonly partitions: number;
}

const LOOK_MS = 100;
const VARIANTS = [
  { name: 'not counted', settings: {} },
  { name: 'counted', settings: STATS },
] as const;
const OPENING = [Buffer.from('{"type":"VIEW","attributes":{"plan":"pro"}}')];
const ENDING = [null];

export async function measureCloses(ground: Ground<CloseSettings>): Promise<readonly CloseTurn[]> {
  const cells = VARIANTS.map(({ name, settings }) => ({
    name: `closes, ${name}`,
    take: async (): Promise<CloseTurn> => {
      const application = await openApplication(ground);
      try {
        await createInput(ground, `${application.application}.output.stats`);
        return { variant: name, ...(await closed(ground, application, settings)) };
      } finally {
        rmSync(application.stateDir, { recursive: true, force: true });
        await removeTopics(ground.brokers, application.application, ground.onProgress);
      }
    },
  }));
  return (await takeTurns(cells, ground)).turns.flat();
}

async function closed(
  { connection, closes }: Ground<CloseSettings>,
  application: Application,
  settings: object,
): Promise<Omit<CloseTurn, 'variant'>> {
  const { topic } = application;
  const each = (values: readonly (Uint8Array | null)[]) => (partitions: number) =>
    recordsOf({ values }, { from: 0, to: closes, seed: POPULATION_SEED, partitions });
  await writeRecords(connection, { topic, records: each(OPENING) });
  const instance = await Instance.alone({ ...application, timeoutMs: NEVER_MS, compression: 'none', settings });
  try {
    await instance.applied(closes);
    instance.beginCost();
    await writeRecords(connection, { topic, records: each(ENDING) });
    await instance.until(
      (assigned) =>
        assigned.every(({ liveEntries }) => liveEntries === 0) &&
        assigned.every(({ position, committedPosition }) => position === committedPosition),
    );
    await delay(LOOK_MS);
    const { cpuMs } = await instance.cost();
    return { closes, cpuMs };
  } finally {
    await instance.kill();
  }
}
