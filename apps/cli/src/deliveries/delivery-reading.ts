// Reads deliveries that wait for endpoints, from the changelog of the pipelines that keep them, and those given up, from their topic.
import type { FlatlineConfig, NotifiedPipeline } from '@flatline/config';
import { KafkaLogScan, type KafkaConnection } from '@flatline/kafka';
import {
  isOfAnother,
  keptRecordOf,
  type RawRecord,
  rawOf,
  REASON_HEADER,
  replayedIn,
} from '@flatline/notifier/records';
import type { RecordHeader, TopicPartition } from '@flatline/ports';
import { type PartitionState, readPartitionState } from '@flatline/processor';
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

export interface DeliveryState {
  readonly notified: NotifiedPipeline;
  readonly partition: number;
  readonly state: PartitionState;
}

/** Partition after partition, so that no more than one is in memory. */
export async function* statesOf({ notified, connection, shell }: DeliveryPlace): AsyncGenerator<DeliveryState> {
  const { clock, stop } = shell;
  const scan = new KafkaLogScan({ clock, connection });
  for (const each of notified) {
    const { partitions } = await requireTopic(connection, clock, each.deliveries.changelogTopic);
    for (let partition = 0; partition < partitions; partition += 1) {
      const place = { pipeline: each.deliveries, partition, scan, hashSeed: randomInt(2 ** 32), stop: stop.signal };
      const state = await readPartitionState(place);
      if (stop.signal.aborted) throw interruptedBefore('the changelog was read');
      yield { notified: each, partition, state };
    }
  }
}

export async function* waiting(place: DeliveryPlace): AsyncGenerator<Found> {
  for await (const { notified, partition, state } of statesOf(place)) {
    const at = { pipeline: notified.pipeline.name, partition };
    for (const { key, shown } of state.entries())
      for (const { value, headers, dueAt } of shown()) {
        if (isOfAnother(headers as readonly RecordHeader[], place.config.application)) continue;
        const record = keptRecordOf(key, value as Uint8Array, headers as readonly RecordHeader[]);
        if (record.kind === 'breaker') yield { ...at, ...record };
        else if (record.kind === 'delivery')
          yield { ...at, delivery: record.delivery, state: record.phase, at: dueAt as number };
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
  place: DeliveryPlace,
): AsyncGenerator<FoundDelivery> {
  // Marks lie behind what they are of. An offset each: of a million that were replayed, some 40 MB.
  const replayed = new Set<number>();
  for await (const { headers } of recordsFrom(log, 0, place)) {
    const offset = replayedIn(headers);
    if (offset !== undefined) replayed.add(offset);
  }
  for await (const { offset, key, value, headers, timestamp: at } of recordsFrom(log, 0, place)) {
    const record = at < from ? undefined : keptRecordOf(key ?? NONE, value ?? NONE, headers);
    if (record?.kind !== 'delivery') continue;
    const said = headers.find(({ name }) => name === REASON_HEADER)?.value;
    const why = said == null ? undefined : Buffer.from(said).toString();
    const found = { pipeline, partition: log.partition, delivery: record.delivery, at, why, offset };
    yield { ...found, state: 'undeliverable', isReplayed: replayed.has(offset) };
  }
}

const NONE = new Uint8Array(0);

/** Committed ones of this application, to the end as of now. */
export async function* recordsFrom(
  log: TopicPartition,
  from: number,
  { config, connection, shell: { clock, stop } }: DeliveryPlace,
): AsyncGenerator<RawRecord> {
  const scan = new KafkaLogScan({ clock, connection });
  const { logStartOffset, lastStableOffset } = await scan.bounds(log);
  for (let position = Math.max(from, logStartOffset); position < lastStableOffset;) {
    if (stop.signal.aborted) throw interruptedBefore('the topic was read');
    const { cursor, nextOffset } = await scan.read(log, position);
    while (cursor.next()) {
      if (cursor.offset < position || cursor.offset >= lastStableOffset) continue;
      const record = rawOf(cursor);
      if (!isOfAnother(record.headers, config.application)) yield record;
    }
    position = nextOffset;
  }
}
