// Topics and a state directory for every measured processor.
import { KafkaTopicAdmin, type KafkaConnection } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Application, PIPELINE } from '../tasks/application.ts';

const INPUT = { 'message.timestamp.type': 'LogAppendTime' };
const CHANGELOG = { ...INPUT, 'retention.ms': '-1', 'retention.bytes': '-1' };

/** Where to create topics, and with how many partitions. */
export interface Topics {
  readonly connection: KafkaConnection;
  readonly partitions: number;
}

export interface Place extends Topics {
  readonly brokers: readonly string[];
  readonly workDir: string;
}

/** Gives `use` an application, and removes its state afterwards. */
export async function withApplication<T>(place: Place, use: (application: Application) => Promise<T>): Promise<T> {
  const application = await openApplication(place);
  try {
    return await use(application);
  } finally {
    rmSync(application.stateDir, { recursive: true, force: true });
  }
}

/** For an application that outlives a function: the caller removes its state directory. */
export async function openApplication(place: Place): Promise<Application> {
  const { brokers, partitions, workDir } = place;
  const application = `bench-${randomUUID()}`;
  const topic = `${application}.input`;
  const stateDir = join(workDir, application);
  await createInput(place, topic);
  await createTopicsOf(place, application);
  mkdirSync(stateDir, { recursive: true });
  return { application, brokers, topic, partitions, stateDir };
}

export async function createInput(topics: Topics, topic: string): Promise<void> {
  await create(topics, [[topic, INPUT]]);
}

/** Creates the topics to which a processor of that name writes. */
export async function createTopicsOf(topics: Topics, application: string): Promise<void> {
  await create(topics, [
    [`${application}.output`, {}],
    [`${application}.${PIPELINE}.changelog`, CHANGELOG],
    [`${application}.${PIPELINE}.dead-letters`, {}],
  ]);
}

async function create(
  { connection, partitions }: Topics,
  topics: readonly (readonly [topic: string, settings: Readonly<Record<string, string>>])[],
): Promise<void> {
  const admin = new KafkaTopicAdmin({ clock: systemClock, connection });
  await admin.createTopics(topics.map(([topic, settings]) => ({ topic, partitions, replicationFactor: -1, settings })));
}
