// The input of a turn: events of live sessions in random order, written once, read by every contender.
import { seededRandom } from '@flatline/base';
import { HttpSchemaRegistry } from '@flatline/records';
import { openEventEncoder } from '@flatline/records/events';
import type { KafkaConnection, ProducedRecord } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { sessionKey } from '../session-key.ts';
import type { EventFormat } from '../tasks/event-format.ts';
import { NO_VALUE, writeRecords } from '../writing.ts';

export interface EventLoad {
  readonly format: EventFormat;
  readonly events: number;
  readonly sessions: number;
  readonly partitions: number;
  readonly seed: number;
  /** Where the schema of events in Avro is registered. */
  readonly schemaRegistryUrl?: string | undefined;
}

/** Writes the events to `topic`. Every session beats at least once if there are enough events. */
export async function loadEvents(
  connection: KafkaConnection,
  topic: string,
  load: EventLoad,
  onProgress?: (written: number) => void,
): Promise<void> {
  const { events, sessions, partitions, seed } = load;
  const valueOf = await valuesOf(topic, load);
  const random = seededRandom(seed);
  const keys = Array.from({ length: sessions }, (_, session) => sessionKey(session, seed));
  const sequences = new Uint32Array(sessions);
  function* records(): Iterable<ProducedRecord> {
    for (let index = 0; index < events; index += 1) {
      const session = index < sessions ? index : random.below(sessions);
      const value = valueOf((sequences[session]! += 1));
      yield { partition: session % partitions, key: keys[session]!, value };
    }
  }
  await writeRecords(connection, { topic, records, ...(onProgress && { onProgress }) });
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
