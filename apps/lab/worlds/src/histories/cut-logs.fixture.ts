// Logs without their oldest records.
import type { RecordedLog } from '@flatline/lab-kinds/histories';
import type { BatchMark, LogRecord, LogSource } from '@flatline/oracle';

/** The log as DeleteRecords leaves it; `logStart` lies between two transactions. */
export function from<R extends LogRecord>(source: LogSource<R>, log: RecordedLog<R>, logStart: number): LogSource<R> {
  let part: { records: readonly R[]; batches: readonly BatchMark[] } | undefined = {
    records: log.records.filter(({ offset }) => offset >= logStart),
    batches: log.batches.filter(({ baseOffset }) => baseOffset >= logStart),
  };
  const read = (): Promise<typeof part> => {
    const next = part;
    part = undefined;
    return Promise.resolve(next);
  };
  return { ...source, logStart, read };
}

/** Offset behind the marker that ends about the given share of the log. */
export function after({ batches }: RecordedLog<LogRecord>, share: number): number {
  const marker = batches.findLast(({ marker: kind }, at) => kind !== undefined && at < batches.length * share)!;
  return marker.lastOffset + 1;
}
