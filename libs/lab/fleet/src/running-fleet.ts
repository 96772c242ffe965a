import type { Clock, DurationMs } from '@flatline/base';
import { openHeartbeatProducer } from '@flatline/client/parts';
import type { SchemaRegistry } from '@flatline/records';
import type { KafkaConnection } from '@flatline/kafka';
import { Fleet } from './fleet.ts';
import type { FleetPlan } from './fleet-plan.ts';
import { FleetSender, type FleetSenderOptions } from './fleet-sender.ts';
import type { FleetFormat, LedgerEntry } from './ledger.ts';

export interface FleetOptions {
  readonly plan: FleetPlan;
  readonly format: FleetFormat;
  readonly topic: string;
  readonly clock: Clock;
  /** Not closed here. */
  readonly connection: KafkaConnection;
  readonly registry: SchemaRegistry | undefined;
  /** Default: the producer's own. */
  readonly deliveryTimeoutMs?: DurationMs | undefined;
  readonly onEntry: (entry: LedgerEntry) => void;
  /** Told of every heartbeat as it is sent. Default: none. */
  readonly onBeat?: FleetSenderOptions['onBeat'];
  readonly stop: AbortSignal;
}

/** A fleet that lives in real time and sends to a topic. */
export interface RunningFleet {
  readonly fleet: Fleet;
  readonly sender: FleetSender;
  /** Resolves when it has ended or was stopped, and everything is acknowledged; rejects as the producer's `flush`. */
  readonly finished: Promise<void>;
}

/** @throws Fatal if the topic does not exist; Retriable if broker or registry do not answer. */
export async function startFleet(options: FleetOptions): Promise<RunningFleet> {
  const { plan, format, topic, clock, connection, registry, deliveryTimeoutMs, onEntry, onBeat, stop } = options;
  const onAcknowledged = (partition: number, records: number): void => {
    sender.acknowledged(partition, records);
  };
  const valueFormat = format === 'avro' ? 'avro' : 'json';
  const target = await openHeartbeatProducer({
    clock,
    connection,
    topic,
    format: valueFormat,
    registry,
    deliveryTimeoutMs,
    onAcknowledged,
  });
  const fleet = new Fleet(plan);
  const sender = new FleetSender({ fleet, format, clock, target, onEntry, onBeat });
  return { fleet, sender, finished: sender.run(stop).then(() => target.close()) };
}
