// Dead letters of handlers: outputs that failed in every attempt, unchanged, with the error.
import { BatchProducer, type KafkaOptions, openCluster } from '@flatline/kafka';
import type { RawOutput } from './output-record.ts';

const ERROR_HEADER = 'flatline-error';
/** Most bytes of the error in a dead letter. */
export const ERROR_BYTES_MAX = 1_024;
const utf8 = new TextEncoder();
const CUT = utf8.encode('…');

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
      await producer.add({ key, value, headers: [...headers, errorHeader(why)] });
      await producer.flush();
    },
    close: async () => {
      await producer.close().finally(() => {
        connection.close();
      });
    },
  };
}

/** Errors may quote anything: an answer, a query. */
export function errorHeader(why: string): { readonly name: string; readonly value: Uint8Array } {
  // A character is at least a byte.
  const whole = utf8.encode(why.slice(0, ERROR_BYTES_MAX + 1));
  if (whole.length <= ERROR_BYTES_MAX) return { name: ERROR_HEADER, value: whole };
  const value = new Uint8Array(ERROR_BYTES_MAX);
  // Writes whole characters only.
  const { written } = utf8.encodeInto(why, value.subarray(0, ERROR_BYTES_MAX - CUT.length));
  value.set(CUT, written);
  return { name: ERROR_HEADER, value: value.subarray(0, written + CUT.length) };
}
