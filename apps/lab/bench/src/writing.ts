import { BatchProducer, type KafkaConnection, type ProducedRecord } from '@flatline/kafka';
import { systemClock } from '@flatline/system';

/** Records added before the event loop, and so the sockets, get their turn. */
const ADDED_MAX = 20_000;
/** The value of a bare heartbeat. */
export const NO_VALUE = new Uint8Array(0);

interface Written {
  readonly topic: string;
  /** @param partitions of the topic */
  readonly records: (partitions: number) => Iterable<ProducedRecord>;
  readonly onProgress?: (written: number) => void;
}

/** Writes records as fast as the broker takes them; all of them are in the log when it resolves. */
export async function writeRecords(
  connection: KafkaConnection,
  { topic, records, onProgress }: Written,
): Promise<void> {
  const producer = await BatchProducer.open({ clock: systemClock, connection, topic });
  let written = 0;
  for (const record of records(producer.partitionCount)) {
    const room = producer.add(record);
    if (room !== undefined) await room;
    written += 1;
    if (written % ADDED_MAX !== 0) continue;
    onProgress?.(written);
    await new Promise(setImmediate);
  }
  await producer.close();
}
