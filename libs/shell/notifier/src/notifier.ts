// Committed outputs of a process's pipelines to webhooks: who carries which partition.
//
// Owns: the groups' memberships, the couriers, what they share.
import { type Clock, type Random } from '@flatline/base';
import type { NotifiedPipeline, NotifierConfig } from '@flatline/config';
import { Gate } from '@flatline/deliveries';
import {
  type KafkaConnection,
  KafkaLogAdmin,
  KafkaLogReader,
  KafkaLogScan,
  KafkaMembership,
  type KafkaOptions,
  KafkaTransactionalWriters,
  openCluster,
} from '@flatline/kafka';
import type { Assignment } from '@flatline/ports';
import { Courier } from './courier/courier.ts';
import type { NotifierLog, Way } from './courier/carried.ts';
import type { EndpointStatus } from './courier/courier-run.ts';
import type { KeptState } from './courier/restoration.ts';
import { type Resolve, systemResolve } from './guard/resolver.ts';
import { requireReachable } from './reach.ts';
import { CommandSender } from './sending/command-sender.ts';
import { HttpSender } from './sending/http-sender.ts';

export interface NotifierParts {
  readonly config: NotifierConfig;
  readonly kafka: KafkaOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: NotifierLog;
  readonly application: string;
  readonly instance: string;
  readonly instanceId: string | undefined;
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  readonly transactionTimeoutMs: number;
  readonly userAgent: string;
  /** Reads what the engine keeps of a pipeline's deliveries, from its changelog. */
  readonly readState: (
    notified: NotifiedPipeline,
    partition: number,
    scan: KafkaLogScan,
    end: AbortSignal,
  ) => Promise<KeptState>;
  /** A pipeline's deliveries cannot go on. */
  readonly onFailure: (pipeline: string, error: Error) => void;
  /** Default: the system's. */
  readonly resolve?: Resolve;
}

export interface DeliveryStatus extends EndpointStatus {
  readonly pipeline: string;
  readonly partition: number;
}

export interface Notifier {
  /** Told of the partitions that are this process's. */
  status(): readonly DeliveryStatus[];
  /** What is under way may end, within seconds. */
  close(): Promise<void>;
}

/** @throws Misconfigured where an endpoint may not be reached */
export function openNotifier(parts: NotifierParts): Notifier {
  const { resolve = systemResolve(parts.clock) } = parts;
  const ways = new Map(parts.config.endpoints.map((endpoint) => [endpoint.name, wayOf(endpoint, parts, resolve)]));
  const carried = parts.config.pipelines.map((notified) => new CarriedPipeline(notified, ways, parts));
  return {
    status: () => carried.flatMap((each) => each.status()),
    close: async () => {
      await Promise.all(carried.map((each) => each.close()));
      await Promise.all([...ways.values()].map(({ sender }) => sender.close()));
    },
  };
}

/** Standard output is the log's. */
function show(printed: string): void {
  process.stderr.write(printed);
}

function wayOf(
  endpoint: NotifierConfig['endpoints'][number],
  { clock, userAgent }: NotifierParts,
  resolve: Resolve,
): Way {
  const { target, timeoutMs, maxInFlight, maxPerSecond, allow, secrets } = endpoint;
  const gate = new Gate({ maxInFlight, maxPerSecond });
  if ('command' in target) return { endpoint, gate, sender: new CommandSender({ clock, timeoutMs, show, ...target }) };
  requireReachable(endpoint);
  const sender = new HttpSender({ clock, ...target, allow, timeoutMs, maxInFlight, secrets, resolve, userAgent });
  return { endpoint, gate, sender };
}

class CarriedPipeline {
  readonly #notified: NotifiedPipeline;
  readonly #ways: readonly Way[];
  readonly #parts: NotifierParts;
  readonly #couriers = new Map<number, Courier>();
  readonly #leaving = new Map<number, Promise<void>>();
  readonly #membership: KafkaMembership;
  readonly #connection: KafkaConnection;
  readonly #writing: KafkaConnection;
  readonly #reader: KafkaLogReader;
  readonly #writers: KafkaTransactionalWriters;
  #closed = false;

  constructor(notified: NotifiedPipeline, ways: ReadonlyMap<string, Way>, parts: NotifierParts) {
    const { kafka, clock, instance, instanceId, sessionTimeoutMs, heartbeatIntervalMs, transactionTimeoutMs } = parts;
    this.#notified = notified;
    this.#parts = parts;
    this.#ways = notified.endpoints.map(({ name }) => ways.get(name)!);
    this.#connection = openCluster(kafka);
    this.#reader = new KafkaLogReader(kafka);
    this.#writing = openCluster(kafka);
    this.#writers = new KafkaTransactionalWriters({ clock, connections: [this.#writing], transactionTimeoutMs });
    this.#membership = new KafkaMembership({
      clock,
      connection: openCluster(kafka),
      group: notified.group,
      topics: [notified.pipeline.output.topic],
      localCheckpoints: () => Promise.resolve([]),
      name: instance,
      instanceId,
      sessionTimeoutMs,
      heartbeatIntervalMs,
    });
    this.#membership
      .start({
        assigned: this.#assigned,
        // Its partitions are fenced by whoever gets them.
        lost: () => undefined,
        failed: (error) => {
          parts.onFailure(notified.pipeline.name, error);
        },
      })
      // `failed` was told.
      .catch(() => undefined);
  }

  status(): readonly DeliveryStatus[] {
    const pipeline = this.#notified.pipeline.name;
    return [...this.#couriers].flatMap(([partition, courier]) =>
      courier.endpoints.map((endpoint) => ({ pipeline, partition, ...endpoint })),
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const partition of [...this.#couriers.keys()]) this.#giveBack(partition);
    await Promise.all(this.#leaving.values());
    await this.#membership.leave();
    await this.#reader.close();
    this.#connection.close();
    this.#writing.close();
  }

  readonly #assigned = ({ partitions }: Assignment): void => {
    if (this.#closed) return;
    for (const partition of [...this.#couriers.keys()]) if (!partitions.includes(partition)) this.#giveBack(partition);
    for (const partition of partitions)
      if (!this.#couriers.has(partition)) this.#couriers.set(partition, this.#open(partition));
  };

  #giveBack(partition: number): void {
    const courier = this.#couriers.get(partition)!;
    this.#couriers.delete(partition);
    const left = courier.close().then(() => {
      this.#leaving.delete(partition);
    });
    this.#leaving.set(partition, left);
  }

  #open(partition: number): Courier {
    const { clock, random, log, application, config, readState } = this.#parts;
    const notified = this.#notified;
    const asking = { clock, connection: this.#connection };
    const scan = new KafkaLogScan(asking);
    return new Courier({
      clock,
      random,
      log,
      notified,
      partition,
      ways: this.#ways,
      reader: this.#reader,
      writers: this.#writers,
      transactionalId: `${application}.${notified.pipeline.name}.notifier.${partition}`,
      admin: new KafkaLogAdmin(asking),
      scan,
      isOurs: async () => (await this.#membership.confirm())?.partitions.includes(partition) ?? false,
      startFrom: config.startFrom,
      readState: (each, end) => readState(notified, each, scan, end),
    });
  }
}
