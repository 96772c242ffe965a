// What waits for endpoints, by the changelog of the pipelines that keep it, and what was given up, by its topic.
import type { FlatlineConfig, NotifiedPipeline } from '@flatline/config';
import { KafkaLogScan, type KafkaConnection } from '@flatline/kafka';
import { isOfAnother, keptRecordOf, rawOf, REASON_HEADER } from '@flatline/notifier/records';
import type { RecordHeader, TopicPartition } from '@flatline/ports';
import { readPartitionState } from '@flatline/processor';
import { randomInt } from 'node:crypto';
import { connect, kafkaOf } from '../cluster.ts';
import { type ConfigurationFlags, configurationOf } from '../configuration.ts';
import { interruptedBefore, usageFailure } from '../failure.ts';
import type { Shell } from '../shell.ts';
import { requireTopic } from '../topics/require-topic.ts';
import type { Found, FoundDelivery } from './found-delivery.ts';

export interface DeliveryFlags extends ConfigurationFlags {
  readonly pipeline?: string;
  readonly endpoint?: string;
  readonly json?: boolean;
}

export interface DeliveryPlace {
  readonly config: FlatlineConfig;
  readonly notified: readonly NotifiedPipeline[];
  readonly connection: KafkaConnection;
  readonly shell: Shell;
}

/** The pipelines that the flags name, of those with endpoints. @throws CommandFailure */
export async function withDeliveries<T>(
  flags: DeliveryFlags,
  shell: Shell,
  use: (place: DeliveryPlace) => Promise<T>,
): Promise<T> {
  const config = await configurationOf(shell, flags, ['kafka']);
  const { notifier } = config;
  if (notifier === undefined) throw usageFailure('the configuration has no section notifier, so nothing is delivered');
  const endpoints = notifier.endpoints.map(({ name }) => name);
  if (flags.endpoint !== undefined && !endpoints.includes(flags.endpoint))
    throw usageFailure(`--endpoint ${flags.endpoint}: the configuration has ${endpoints.join(', ')}`);
  const notified = notifier.pipelines.filter(({ pipeline }) => (flags.pipeline ?? pipeline.name) === pipeline.name);
  if (notified.length === 0) {
    const names = notifier.pipelines.map(({ pipeline }) => pipeline.name).join(', ');
    throw usageFailure(`--pipeline ${flags.pipeline ?? ''}: endpoints are for ${names}`);
  }
  const connection = await connect(kafkaOf(config, shell.clock), shell.stop);
  try {
    return await use({ config, notified, connection, shell });
  } finally {
    connection.close();
  }
}

/** Partition after partition, so that no more than one is in memory. */
export async function* waiting({ config, notified, connection, shell }: DeliveryPlace): AsyncGenerator<Found> {
  const { clock, stop } = shell;
  const scan = new KafkaLogScan({ clock, connection });
  for (const { pipeline, deliveries } of notified) {
    const { partitions } = await requireTopic(connection, clock, deliveries.changelogTopic);
    for (let partition = 0; partition < partitions; partition += 1) {
      const place = { pipeline: deliveries, partition, scan, hashSeed: randomInt(2 ** 32), stop: stop.signal };
      const state = await readPartitionState(place);
      if (stop.signal.aborted) throw interruptedBefore('the changelog was read');
      const at = { pipeline: pipeline.name, partition };
      for (const { key, shown } of state.entries())
        for (const { value, headers, dueAt } of shown()) {
          if (isOfAnother(headers as readonly RecordHeader[], config.application)) continue;
          const record = keptRecordOf(key, value as Uint8Array, headers as readonly RecordHeader[]);
          if (record.kind === 'breaker') yield { ...at, ...record };
          else if (record.kind === 'delivery')
            yield { ...at, delivery: record.delivery, state: record.phase, at: dueAt as number };
        }
    }
  }
}

/** Since `from`, by the brokers' clock. */
export async function* givenUp(place: DeliveryPlace, from: number | undefined): AsyncGenerator<FoundDelivery> {
  const { notified, connection, shell } = place;
  for (const { pipeline, undeliverableTopic: topic } of notified) {
    const { partitions } = await requireTopic(connection, shell.clock, topic);
    for (let partition = 0; partition < partitions; partition += 1)
      yield* givenUpIn({ topic, partition }, pipeline.name, from ?? 0, place);
  }
}

async function* givenUpIn(
  log: TopicPartition,
  pipeline: string,
  from: number,
  { config, connection, shell: { clock, stop } }: DeliveryPlace,
): AsyncGenerator<FoundDelivery> {
  const scan = new KafkaLogScan({ clock, connection });
  const { logStartOffset, lastStableOffset } = await scan.bounds(log);
  for (let position = logStartOffset; position < lastStableOffset;) {
    if (stop.signal.aborted) throw interruptedBefore('the topic was read');
    const { cursor, nextOffset } = await scan.read(log, position);
    while (cursor.next()) {
      if (cursor.offset < position || cursor.offset >= lastStableOffset || cursor.timestamp < from) continue;
      const { key, value, headers, timestamp } = rawOf(cursor);
      if (isOfAnother(headers, config.application)) continue;
      const record = keptRecordOf(key ?? NONE, value ?? NONE, headers);
      if (record.kind !== 'delivery') continue;
      const why = headers.find(({ name }) => name === REASON_HEADER)?.value;
      const place = { pipeline, partition: log.partition, at: timestamp };
      yield {
        ...place,
        delivery: record.delivery,
        state: 'undeliverable',
        why: why == null ? undefined : Buffer.from(why).toString(),
      };
    }
    position = nextOffset;
  }
}

const NONE = new Uint8Array(0);
