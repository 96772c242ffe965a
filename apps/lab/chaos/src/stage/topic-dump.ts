// Everything committed in a topic, read by the oracle's own decoders: possible at the size of a trial's topics.
import { KafkaLogAdmin, KafkaLogScan, type KafkaOptions, openCluster } from '@flatline/kafka';
import type { RawRecord } from '@flatline/oracle';
import { cutInput, sourceOf } from '@flatline/verifier';
import type { Application } from './application.ts';

const asItLies = { prepare: () => Promise.resolve(), read: (record: RawRecord): RawRecord => record };

/** By partition and offset, from the log's start to its last stable offset as of this call. */
export async function dumpTopic(kafka: KafkaOptions, topic: string, partitions: number): Promise<RawRecord[][]> {
  const connection = openCluster(kafka);
  try {
    const scan = new KafkaLogScan({ clock: kafka.clock, connection });
    return await Promise.all(
      Array.from({ length: partitions }, async (_, partition) => {
        const cut = await cutInput({ topic, partition }, { scan });
        const source = sourceOf(cut, (position) => scan.readBytes(cut.partition, position), asItLies, true);
        const parts: (readonly RawRecord[])[] = [];
        for (let part = await source.read(); part !== undefined; part = await source.read()) parts.push(part.records);
        return parts.flat();
      }),
    );
  } finally {
    connection.close();
  }
}

/** Append times of an output's records, in order. */
export async function appendTimes({
  kafka,
  output,
  partitions,
}: Pick<Application, 'kafka' | 'output' | 'partitions'>): Promise<readonly number[]> {
  const records = (await dumpTopic(kafka, output, partitions)).flat();
  return records.map(({ timestamp }) => timestamp).sort((a, b) => a - b);
}

export async function topicEnds(
  kafka: KafkaOptions,
  topic: string,
  partitions: number,
): Promise<readonly { readonly logStart: number; readonly end: number }[]> {
  const connection = openCluster(kafka);
  try {
    const admin = new KafkaLogAdmin({ clock: kafka.clock, connection });
    return await Promise.all(
      Array.from({ length: partitions }, async (_, partition) => {
        const { logStartOffset: logStart, lastStableOffset: end } = await admin.ends({ topic, partition });
        return { logStart, end };
      }),
    );
  } finally {
    connection.close();
  }
}
