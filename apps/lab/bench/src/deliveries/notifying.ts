// A process that delivers the outputs of a pipeline that is not run, as `apps/notifier` does: its topics, and its task.
//
// Topics of deliveries bear the pipeline's name alone: each measured one has a pipeline of its own.
import { KafkaTopicAdmin } from '@flatline/kafka';
import { pipelineTopicsOf, requirementsOf } from '@flatline/processor';
import { systemClock } from '@flatline/system';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from '../frame/application.ts';
import { configurationOf } from '../processor/watching.ts';
import { type InstanceTask, NEVER_MS } from '../tasks/instance-task.ts';

export interface Notifying {
  readonly task: InstanceTask;
  readonly outputs: string;
  readonly deliveries: string;
}

/** @param endpoint settings beside its address; the sink is one of loopback. */
export async function openNotifying(place: Place, url: string, endpoint: object): Promise<Notifying> {
  const { connection, brokers, partitions, workDir } = place;
  const application = `bench-${randomBytes(6).toString('hex')}`;
  const stateDir = join(workDir, application);
  const task: InstanceTask = {
    application,
    brokers,
    topic: `${application}.input`,
    partitions,
    stateDir,
    timeoutMs: NEVER_MS,
    instance: 'a',
    settings: { name: application },
    notifier: { endpoints: [{ name: 'sink', url, secrets: [{ env: 'HOOK' }], allow: ['127.0.0.1'], ...endpoint }] },
  };
  mkdirSync(stateDir, { recursive: true });
  const config = configurationOf(task);
  const outputs = `${application}.output`;
  const wanted = pipelineTopicsOf(config).flatMap((topics) => requirementsOf(topics));
  const admin = new KafkaTopicAdmin({ clock: systemClock, connection });
  await admin.createTopics(
    [{ topic: outputs, settings: [] }, ...wanted].map(({ topic, settings }) => ({
      topic,
      partitions,
      replicationFactor: -1,
      settings: Object.fromEntries(
        settings.flatMap(({ name, value, leftToBroker }) => (leftToBroker === true ? [] : [[name, value] as const])),
      ),
    })),
  );
  return { task, outputs, deliveries: `${application}.deliveries` };
}
