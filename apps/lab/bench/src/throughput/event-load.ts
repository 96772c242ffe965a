// The input of a run: events of live sessions in random order, written once, read by every contender.
import { seededRandom } from '@flatline/base';
import { HttpSchemaRegistry, openEventEncoder } from '@flatline/records';
import { BatchProducer, type KafkaConnection } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { sessionKeys } from './session-keys.ts';

/** `bare`: no value, the session's key says it all; the others: what the SDK sends for a numbered heartbeat. */
export const EVENT_FORMATS = ['bare', 'json', 'avro'] as const;
export type EventFormat = (typeof EVENT_FORMATS)[number];

export interface EventLoad {
  readonly format: EventFormat;
  readonly events: number;
  readonly sessions: number;
  readonly partitions: number;
  readonly seed: number;
  /** Where the schema of events in Avro is registered. */
  readonly schemaRegistryUrl?: string | undefined;
}

const NO_VALUE = new Uint8Array(0);
/** Records added before the event loop, and so the sockets, get their turn. */
const ADDED_MAX = 20_000;

/** Writes the events to `topic`. Every session beats at least once where there are as many events. */
export async function loadEvents(
  connection: KafkaConnection,
  topic: string,
  load: EventLoad,
  onProgress: (written: number) => void,
): Promise<void> {
  const { events, sessions, partitions } = load;
  const valueOf = await valuesOf(topic, load);
  const producer = await BatchProducer.open({ clock: systemClock, connection, topic });
  const random = seededRandom(load.seed);
  const keys = sessionKeys(sessions, load.seed);
  const sequences = new Uint32Array(sessions);
  for (let index = 0; index < events; index += 1) {
    const session = index < sessions ? index : random.below(sessions);
    const value = valueOf((sequences[session]! += 1));
    const room = producer.add({ partition: session % partitions, key: keys[session]!, value });
    if (room !== undefined) await room;
    if ((index + 1) % ADDED_MAX !== 0) continue;
    onProgress(index + 1);
    await new Promise(setImmediate);
  }
  await producer.close();
}

async function valuesOf(
  topic: string,
  { format, schemaRegistryUrl: url }: EventLoad,
): Promise<(sequence: number) => Uint8Array> {
  if (format === 'bare') return () => NO_VALUE;
  if (format === 'json') return jsonEvent;
  const registry = url === undefined ? undefined : new HttpSchemaRegistry({ url, clock: systemClock });
  const encoder = await openEventEncoder(format, topic, registry);
  return (sequence) => encoder.encode({ type: 'HEARTBEAT', occurredAt: systemClock.wallMs(), sequence });
}

function jsonEvent(sequence: number): Uint8Array {
  return Buffer.from(`{"type":"HEARTBEAT","occurredAt":${systemClock.wallMs()},"sequence":${sequence}}`, 'latin1');
}
