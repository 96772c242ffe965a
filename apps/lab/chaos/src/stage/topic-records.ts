// Records of an application's topics as its users write and read them, bypassing any proxy.
import { openSummaryConsumer, type OutputRecord } from '@flatline/client/parts';
import { BatchProducer, openCluster, type ProducedRecord } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import type { Application } from './application.ts';

/** Writes to the input; resolves when all records are acknowledged. */
export async function produce(application: Application, records: Iterable<ProducedRecord>): Promise<void> {
  const connection = openCluster(application.kafka);
  try {
    const producer = await BatchProducer.open({ clock: systemClock, connection, topic: application.input });
    await producer.send(records);
    await producer.close();
  } finally {
    connection.close();
  }
}

/** Everything committed on the output now. */
export async function readOutputs({ kafka, output }: Pick<Application, 'kafka' | 'output'>): Promise<OutputRecord[]> {
  const { consumer, close } = await openSummaryConsumer({ kafka, topic: output, from: 'beginning', until: 'end' });
  try {
    const outputs: OutputRecord[] = [];
    for await (const record of consumer) outputs.push(record);
    return outputs;
  } finally {
    await close();
  }
}
