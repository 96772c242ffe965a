// Cost of a route: sessions that end, with a record of each routed to another topic and without, beside a consumer that reads such
// outputs and produces the same records.
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { KafkaTopicAdmin } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { measureApart } from '../apart.ts';
import { recordsOf } from '../assembled/shapes.ts';
import { openApplication, type Topics } from '../frame/application.ts';
import type { Ground } from '../frame/frame.ts';
import { takeTurns } from '../frame/turns.ts';
import { removeTopics } from '../kafkajs-topic-removal.ts';
import { POPULATION_SEED } from '../population/population-ground.ts';
import { Instance } from '../processor/instance.ts';
import { writeSummaries } from '../summaries.ts';
import { NEVER_MS } from '../tasks/instance-task.ts';
import { writeRecords } from '../writing.ts';
import type { DeliverySettings } from './delivered.ts';
import type { RelayCost } from './relay-task.ts';

export interface RouteTurn extends Pick<RelayCost, 'outputs' | 'cpuMs'> {
  readonly what: 'not routed' | 'routed' | 'consumer';
}

const OPENING = [Buffer.from('{"type":"VIEW","attributes":{"page":"/cart","campaign":"autumn"}}')];
const ENDING = [null];

export async function measureRoutes(ground: Ground<DeliverySettings>): Promise<readonly RouteTurn[]> {
  const { brokers, connection, events, onProgress } = ground;
  const name = `bench-routes-${randomUUID()}`;
  const [outputs, routed, relayed] = [`${name}.outputs`, `${name}.routed`, `${name}.relayed`] as const;
  for (const topic of [outputs, routed, relayed]) await newTopic(ground, topic);
  await writeSummaries(connection, { topic: outputs, count: events });
  const routes = [{ on: ['ENDED'], to: routed, headers: { 'flatline-delay-ms': '1h' } }];
  const cells = [
    { name: 'closes that are not routed', take: () => closed(ground, 'not routed', {}) },
    { name: 'closes that are routed', take: () => closed(ground, 'routed', { routes }) },
    { name: 'a consumer that reads and produces', take: () => consumed(ground, outputs, relayed) },
  ];
  const { turns } = await takeTurns(cells, ground);
  await removeTopics(brokers, name, onProgress);
  return turns.flat();
}

async function newTopic({ connection, partitions }: Topics, topic: string): Promise<void> {
  const admin = new KafkaTopicAdmin({ clock: systemClock, connection });
  await admin.createTopics([{ topic, partitions, replicationFactor: -1, settings: {} }]);
}

async function consumed(
  { brokers, events, warmUpShare }: Ground<DeliverySettings>,
  from: string,
  to: string,
): Promise<RouteTurn> {
  const task = { brokers, from, to, outputs: events, warmUpOutputs: Math.floor(warmUpShare * events) };
  const { outputs, cpuMs } = await measureApart({ work: 'relay', args: [task], what: 'consumer' });
  return { what: 'consumer', outputs, cpuMs };
}

/** The first sessions are not counted: code gets warm. */
async function closed(ground: Ground<DeliverySettings>, what: RouteTurn['what'], settings: object): Promise<RouteTurn> {
  const { connection, brokers, events, warmUpShare, onProgress } = ground;
  const application = await openApplication(ground);
  const { topic } = application;
  const warmUp = Math.floor(warmUpShare * events);
  const write = (values: readonly (Uint8Array | null)[], from: number, to: number): Promise<void> =>
    writeRecords(connection, {
      topic,
      records: (partitions) => recordsOf({ values }, { from, to, seed: POPULATION_SEED, partitions }),
    });
  await write(OPENING, 0, events);
  const instance = await Instance.alone({ ...application, timeoutMs: NEVER_MS, settings });
  try {
    await instance.applied(events);
    await write(ENDING, 0, warmUp);
    await left(instance, events - warmUp);
    instance.beginCpu();
    await write(ENDING, warmUp, events);
    await left(instance, 0);
    return { what, outputs: events - warmUp, cpuMs: await instance.cpuMs() };
  } finally {
    await instance.kill();
    rmSync(application.stateDir, { recursive: true, force: true });
    await removeTopics(brokers, application.application, onProgress);
  }
}

/** Waits until that many live, and everything is committed. */
async function left(instance: Instance, sessions: number): Promise<void> {
  await instance.until(
    (assigned) =>
      assigned.reduce((sum, { liveEntries }) => sum + liveEntries, 0) === sessions &&
      assigned.every(({ position, committedPosition }) => position === committedPosition),
  );
}
