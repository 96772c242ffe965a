// Dead letters of handlers: outputs that no attempt has managed, as they were, with why.
import { BatchProducer, type KafkaOptions, openCluster } from '@flatline/kafka';
import type { RawOutput } from './output-record.ts';

const ERROR_HEADER = 'flatline-error';
const utf8 = new TextEncoder();

export interface Letters {
  /** Resolves once it is in the log. */
  write(record: RawOutput, why: string): Promise<void>;
  close(): Promise<void>;
}

/** @throws Fatal where the topic does not exist or may not be written; Retriable where no broker answers. */
export async function openLetters(topic: string, kafka: KafkaOptions): Promise<Letters> {
  const connection = openCluster(kafka);
  const producer = await BatchProducer.open({ clock: kafka.clock, connection, topic }).catch((error: unknown) => {
    connection.close();
    throw error;
  });
  return {
    write: async ({ key, value, headers }, why) => {
      const error = { name: ERROR_HEADER, value: utf8.encode(why) };
      await producer.add({ key, value, headers: [...headers, error] });
      await producer.flush();
    },
    close: async () => {
      await producer.close().finally(() => {
        connection.close();
      });
    },
  };
}
