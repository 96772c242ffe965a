// Committed outputs of a process's pipelines to webhooks.
//
// Owns: connections, what couriers share.
// Does not own: who carries which partition (CarriedPipeline).
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
import type { NotifierLog, Way } from './courier/carried.ts';
import { CarriedPipeline, type DeliveryStatus } from './courier/carried-pipeline.ts';
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

export interface Notifier {
  /** Told of the partitions that are this process's. */
  status(): readonly DeliveryStatus[];
  /** Requests under way may end, within seconds. */
  close(): Promise<void>;
}

/** @throws Misconfigured where an endpoint may not be reached */
export function openNotifier(parts: NotifierParts): Notifier {
  const { resolve = systemResolve(parts.clock) } = parts;
  const ways = new Map(parts.config.endpoints.map((endpoint) => [endpoint.name, wayOf(endpoint, parts, resolve)]));
  const carried = parts.config.pipelines.map((notified) => new OpenedPipeline(notified, ways, parts));
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

/** Over connections of its own. */
class OpenedPipeline {
  readonly #carried: CarriedPipeline;
  readonly #reader: KafkaLogReader;
  readonly #connections: readonly KafkaConnection[];

  constructor(notified: NotifiedPipeline, ways: ReadonlyMap<string, Way>, parts: NotifierParts) {
    const { kafka, clock, instance, instanceId, sessionTimeoutMs, heartbeatIntervalMs, transactionTimeoutMs } = parts;
    const asking = { clock, connection: openCluster(kafka) };
    const writing = openCluster(kafka);
    const scan = new KafkaLogScan(asking);
    this.#connections = [asking.connection, writing];
    this.#reader = new KafkaLogReader(kafka);
    this.#carried = new CarriedPipeline({
      clock,
      random: parts.random,
      log: parts.log,
      notified,
      ways: notified.endpoints.map(({ name }) => ways.get(name)!),
      reader: this.#reader,
      writers: new KafkaTransactionalWriters({ clock, connections: [writing], transactionTimeoutMs }),
      admin: new KafkaLogAdmin(asking),
      scan,
      startFrom: parts.config.startFrom,
      readState: (partition, end) => parts.readState(notified, partition, scan, end),
      membership: new KafkaMembership({
        clock,
        connection: openCluster(kafka),
        group: notified.group,
        topics: [notified.pipeline.output.topic],
        localCheckpoints: () => Promise.resolve([]),
        name: instance,
        instanceId,
        sessionTimeoutMs,
        heartbeatIntervalMs,
      }),
      onFailure: (error) => {
        parts.onFailure(notified.pipeline.name, error);
      },
    });
  }

  status(): readonly DeliveryStatus[] {
    return this.#carried.status();
  }

  async close(): Promise<void> {
    await this.#carried.close();
    await this.#reader.close();
    for (const connection of this.#connections) connection.close();
  }
}
