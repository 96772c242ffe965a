// Workers of due tasks over connections of their own.
import { type Clock, Misconfigured } from '@flatline/base';
import {
  AcknowledgedWriter,
  type KafkaConnection,
  KafkaLogAdmin,
  KafkaLogReader,
  KafkaTopicAdmin,
  openCluster,
} from '@flatline/kafka';
import { openLeases } from './open-leases.ts';
import { recordedOutputs, type Surroundings } from './open-outputs.ts';
import { FOR_EVER_MS } from './open-senders.ts';
import { endsOf } from './open-summary-consumer.ts';
import { SentSchedules } from './sent-schedules.ts';
import { resultsOf, type TasksOptions, topicOf } from './tasks-options.ts';
import { workOver } from './tasks-over.ts';

/** Until `signal` or `ending`. @throws Misconfigured, Retriable, PartitionStopped as readers and senders do */
export async function workOffTasks(
  options: TasksOptions,
  { kafka, registry }: Surroundings,
  ending: AbortSignal,
): Promise<void> {
  const { clock } = kafka;
  const topic = topicOf(options);
  const results = resultsOf(options);
  const signal = AbortSignal.any([ending, ...(options.signal === undefined ? [] : [options.signal])]);
  const closing: (() => Promise<void>)[] = [];
  const opened = <T>(value: T, close: (value: T) => Promise<void>): T => {
    closing.unshift(() => close(value));
    return value;
  };
  try {
    const connection = opened(openCluster(kafka), (each) => {
      each.close();
      return Promise.resolve();
    });
    await makeResults(results, topic, { clock, connection });
    const reader = opened(new KafkaLogReader(kafka), (each) => each.close());
    const ends = await endsOf(kafka, results);
    const open = (of: string): Promise<AcknowledgedWriter> =>
      AcknowledgedWriter.open({ clock, connection, deliveryTimeoutMs: FOR_EVER_MS, lingerMs: 0, topic: of });
    const outcomes = opened(await open(results), (each) => each.close());
    const schedules = options.retries?.schedules;
    const later =
      schedules === undefined
        ? undefined
        : opened(new SentSchedules({ clock, topic: schedules, writer: await open(schedules) }), (each) => each.close());
    const leases =
      options.leases === undefined || 'acquire' in options.leases
        ? options.leases
        : opened(await openLeases(options.leases, { kafka, clock, connection, registry }), (each) => each.close());
    await workOver(options, {
      clock,
      outputs: (kind, reading) => recordedOutputs(kind, reading, { kafka, registry }),
      reader,
      admin: new KafkaLogAdmin({ clock, connection }),
      ends,
      outcomes,
      later,
      leases,
      signal,
    });
  } finally {
    // Every outcome is recorded by then: nothing is lost if closing fails.
    for (const close of closing) await close().catch(() => undefined);
  }
}

interface Parts {
  readonly clock: Clock;
  readonly connection: KafkaConnection;
}

/** A task's last outcome is what its id stands for. @throws Misconfigured where it may not be made */
async function makeResults(results: string, topic: string, parts: Parts): Promise<void> {
  const admin = new KafkaTopicAdmin(parts);
  const [found, ofWork] = await admin.describeTopics([results, topic]);
  if (found?.kind === 'present') return;
  if (ofWork?.kind !== 'present')
    throw new Misconfigured(
      `topic ${topic} does not exist: create it with npx flatline topics create, or correct its name`,
    );
  const settings = { 'cleanup.policy': 'compact' };
  // −1: as many as the brokers make by default (KIP-464).
  await admin.createTopics([{ topic: results, partitions: ofWork.partitions, replicationFactor: -1, settings }]);
}
