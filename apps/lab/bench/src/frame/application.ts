// What every processor that is measured gets for itself: topics, and a state directory.
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BenchTopics } from '../bench-topics.ts';
import type { Ground } from './frame.ts';

export interface Application {
  readonly application: string;
  readonly brokers: readonly string[];
  /** Its input. */
  readonly topic: string;
  readonly partitions: number;
  readonly stateDir: string;
}

type Place = Pick<Ground<{ readonly partitions: number }>, 'brokers' | 'connection' | 'partitions' | 'workDir'>;

/** Gives `use` an application; nothing of its state is left afterwards. */
export async function withApplication<T>(place: Place, use: (application: Application) => Promise<T>): Promise<T> {
  const application = await openApplication(place);
  try {
    return await use(application);
  } finally {
    rmSync(application.stateDir, { recursive: true, force: true });
  }
}

/** For an application that outlives a function: its state directory is the caller's to remove. */
export async function openApplication({ brokers, connection, partitions, workDir }: Place): Promise<Application> {
  const application = `bench-${randomUUID()}`;
  const topic = `${application}.input`;
  const stateDir = join(workDir, application);
  const topics = new BenchTopics(connection, partitions);
  await topics.createInput(topic);
  await topics.createFor(application);
  mkdirSync(stateDir, { recursive: true });
  return { application, brokers, topic, partitions, stateDir };
}
