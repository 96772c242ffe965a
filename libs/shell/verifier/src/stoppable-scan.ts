// Questions to the brokers that are given up where the reading is interrupted: an answer may take many seconds.
import type { KafkaLogScan } from '@flatline/kafka';
import type { TopicPartition } from '@flatline/ports';

/** Questions that the checker asks of the logs. */
export type LogScan = Pick<KafkaLogScan, 'bounds' | 'openTransactions' | 'hasMembers' | 'readBytes'>;

/** Each answer, and each question, @throws the signal's reason once it is aborted. */
export function stoppableScan(scan: LogScan, signal: AbortSignal): LogScan {
  const ask = <T>(question: () => Promise<T>): Promise<T> =>
    signal.aborted ? Promise.reject(signal.reason as Error) : unlessAborted(question(), signal);
  return {
    bounds: (partition: TopicPartition) => ask(() => scan.bounds(partition)),
    openTransactions: (partition: TopicPartition) => ask(() => scan.openTransactions(partition)),
    hasMembers: (group: string) => ask(() => scan.hasMembers(group)),
    readBytes: (partition: TopicPartition, offset: number) => ask(() => scan.readBytes(partition, offset)),
  };
}

/** Resolves as `asked` does, or rejects as soon as the signal is aborted. */
export async function unlessAborted<T>(asked: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([asked, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort!);
  }
}
