// Opens senders over the connection of a client, once their topic has been looked at.
//
// Owns: what is known of topics that were looked at.
// Does not own: the connection, and what was opened (the client).
import type { Clock, DurationMs } from '@flatline/base';
import { AcknowledgedWriter, type KafkaConnection, type KafkaOptions } from '@flatline/kafka';
import type { SchemaRegistry } from '@flatline/records';
import { InputLooks } from './check-input.ts';
import { type HeartbeatProducer, openHeartbeatProducer } from './heartbeat-producer.ts';
import { LiveSessions } from './live-sessions.ts';
import { type Items, itemsOver } from './pushed-items.ts';
import { RecordProducer } from './record-producer.ts';
import type { HeartbeatsOptions, ItemsOptions, SchedulesOptions, Sessions, SessionsOptions } from './senders.ts';
import { type Schedules, SentSchedules } from './sent-schedules.ts';

export const CLOSE_MS: DurationMs = 10_000;
/** Waiting records are bounded by count, not by time. */
export const FOR_EVER_MS: DurationMs = 2 ** 42;

export interface Closable {
  close(): Promise<void>;
}

/** Parts shared by all that one client opens. */
export interface Shared {
  readonly kafka: KafkaOptions;
  readonly clock: Clock;
  readonly connection: KafkaConnection;
  readonly registry: SchemaRegistry | undefined;
}

/** As `sessions` sends: for ever, unless a time is given. Programs in plain JavaScript give undefined, too. */
export function patient<T extends { readonly deliveryTimeoutMs?: DurationMs | undefined }>(
  options: T,
): Omit<T, 'deliveryTimeoutMs'> & { readonly deliveryTimeoutMs: DurationMs } {
  return { ...options, deliveryTimeoutMs: options.deliveryTimeoutMs ?? FOR_EVER_MS };
}

export class Senders {
  readonly #looks = new InputLooks();

  heartbeats(options: HeartbeatsOptions, shared: Shared): Promise<HeartbeatProducer> {
    return this.#checked(shared, options.topic, openHeartbeatProducer({ ...options, ...shared }));
  }

  async items(options: ItemsOptions, shared: Shared): Promise<Items> {
    const { clock } = shared;
    const opening = RecordProducer.open({ ...patient(options), ...shared });
    return itemsOver(await this.#checked(shared, options.topic, opening), options, clock);
  }

  async schedules(
    { topic, deliveryTimeoutMs, bufferRecordsMax }: SchedulesOptions,
    shared: Shared,
  ): Promise<Schedules> {
    const { clock, connection } = shared;
    const named = { clock, connection, topic };
    const timing = deliveryTimeoutMs === undefined ? {} : { deliveryTimeoutMs };
    const writer = await this.#checked(shared, topic, AcknowledgedWriter.open({ ...named, ...timing }));
    return new SentSchedules({ clock, topic, writer, ...(bufferRecordsMax !== undefined && { bufferRecordsMax }) });
  }

  async sessions(options: SessionsOptions, shared: Shared): Promise<Sessions> {
    const { clock } = shared;
    const producer = await this.#checked(
      shared,
      options.topic,
      openHeartbeatProducer({ ...patient(options), ...shared }),
    );
    const opened = new LiveSessions({ ...options, clock, producer, random: Math.random });
    let closing: Promise<void> | undefined;
    return {
      session: (id, named) => opened.session(id, named),
      get liveCount() {
        return opened.liveCount;
      },
      get dropped() {
        return opened.dropped;
      },
      flush: () => opened.flush(),
      close: (limitMs = CLOSE_MS) => (closing ??= opened.close(limitMs)),
    };
  }

  /** Looked at once a broker has answered: nothing else would say so, and the processor would read nothing of it. */
  async #checked<T extends Closable & { readonly partitionCount: number }>(
    shared: Shared,
    topic: string,
    opening: Promise<T>,
  ): Promise<T> {
    const producer = await opening;
    try {
      await this.#looks.check(shared, topic, producer.partitionCount);
      return producer;
    } catch (error) {
      await producer.close();
      throw error;
    }
  }
}
