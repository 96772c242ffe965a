// The cost of an event of one input and of two, beside bare heartbeats of one: the same events, all of which lie there when the
// processor starts.
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { seededRandom } from '@flatline/base';
import { BatchProducer, type ProducedRecord } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { createInput, openApplication, type Topics } from '../frame/application.ts';
import type { Ground } from '../frame/frame.ts';
import { takeTurns } from '../frame/turns.ts';
import { removeTopics } from '../kafkajs-topic-removal.ts';
import { POPULATION_SEED } from '../population/population-ground.ts';
import { sessionKey } from '../session-key.ts';
import { Instance } from '../processor/instance.ts';
import { NEVER_MS } from '../tasks/instance-task.ts';
import { NO_VALUE } from '../writing.ts';
import type { InputTurn } from './assembled-page.ts';
import { inputs } from './shapes.ts';

export interface InputSettings {
  readonly events: number;
  readonly warmUpShare: number;
  readonly liveSessions: number;
  readonly partitions: number;
  readonly repeats: number;
}

const COMMIT_INTERVAL_MS = 200;
/** Records added before the event loop, and so the sockets, get their turn. */
const ADDED_MAX = 20_000;

type Loaded = readonly [first: string, second?: string];

interface Cell {
  readonly name: string;
  readonly topics: Loaded;
  readonly settings: object;
}

export async function measureInputs(ground: Ground<InputSettings>): Promise<readonly InputTurn[]> {
  const { events, brokers, onProgress } = ground;
  const name = `bench-inputs-${randomUUID()}`;
  onProgress(`writing ${events.toLocaleString('en')} events, four times`);
  const topicOf = (what: string): string => `${name}-${what}`;
  const [bare, json, quiet] = [topicOf('bare'), topicOf('json'), topicOf('quiet')];
  const halves = [topicOf('half'), topicOf('other-half')] as const;
  const bareHalves = [topicOf('bare-half'), topicOf('bare-other-half')] as const;
  await load(ground, [bare], () => NO_VALUE);
  await load(ground, [json], jsonValue);
  await load(ground, halves, jsonValue);
  await load(ground, bareHalves, () => NO_VALUE);
  await createInput(ground, quiet);
  const cells: readonly Cell[] = [
    { name: 'bare, one input', topics: [bare], settings: {} },
    { name: 'bare, two inputs', topics: bareHalves, settings: inputs(...bareHalves, {}) },
    { name: 'JSON, one input', topics: [json], settings: {} },
    { name: 'JSON, two inputs', topics: halves, settings: inputs(...halves, {}) },
    {
      name: 'JSON, and a quiet table',
      topics: [json],
      settings: inputs(json, quiet, { touches: false, unknownKey: 'deadLetter' }),
    },
  ];
  const taking = cells.map((cell) => ({ name: cell.name, take: () => takeTurn(ground, cell) }));
  const { turns } = await takeTurns(taking, ground);
  await removeTopics(brokers, name, onProgress);
  return turns.flat();
}

async function takeTurn(ground: Ground<InputSettings>, { name, topics, settings }: Cell): Promise<InputTurn> {
  const { events, warmUpShare } = ground;
  const application = await openApplication(ground);
  const task = {
    ...application,
    topic: topics[0],
    timeoutMs: NEVER_MS,
    commitIntervalMs: COMMIT_INTERVAL_MS,
    settings,
  };
  const instance = new Instance(task);
  try {
    const { cpuMs, elapsedMs, heartbeats } = await instance.applied(events, Math.floor(warmUpShare * events));
    await instance.stop();
    return { cell: name, events: heartbeats, cpuMs, elapsedMs };
  } finally {
    await instance.kill();
    rmSync(application.stateDir, { recursive: true, force: true });
    await removeTopics(ground.brokers, application.application, ground.onProgress);
  }
}

/** The same events in the same order, in turn to each topic. */
async function load(
  ground: Ground<InputSettings> & Topics,
  topics: readonly string[],
  valueOf: (sequence: number) => Uint8Array,
): Promise<void> {
  const { connection, events, liveSessions, partitions } = ground;
  for (const topic of topics) await createInput(ground, topic);
  const opening = topics.map((topic) => BatchProducer.open({ clock: systemClock, connection, topic }));
  const producers = await Promise.all(opening);
  const random = seededRandom(POPULATION_SEED);
  const keys = Array.from({ length: liveSessions }, (_, session) => sessionKey(session, POPULATION_SEED));
  const sequences = new Uint32Array(liveSessions);
  for (let index = 0; index < events; index += 1) {
    const session = index < liveSessions ? index : random.below(liveSessions);
    const value = valueOf((sequences[session]! += 1));
    const record: ProducedRecord = { partition: session % partitions, key: keys[session]!, value };
    const room = producers[index % producers.length]!.add(record);
    if (room !== undefined) await room;
    else if (index % ADDED_MAX === 0) await new Promise(setImmediate);
  }
  await Promise.all(producers.map((producer) => producer.close()));
}

function jsonValue(sequence: number): Uint8Array {
  return Buffer.from(`{"type":"HEARTBEAT","occurredAt":${systemClock.wallMs()},"sequence":${sequence}}`, 'latin1');
}
