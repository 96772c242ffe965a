// The summaries of a recorded output, and their tombstones.
import type { OutputRecord } from '@flatline/oracle';

export type Pair = readonly [OutputRecord, OutputRecord];

/** Each summary with its tombstone. */
export function closePairs(records: readonly OutputRecord[]): Pair[] {
  return records.flatMap((record, at): Pair[] => (record.value === null ? [] : [[record, records[at + 1]!]]));
}

export function summaries(records: readonly OutputRecord[]): OutputRecord[] {
  return records.filter(({ value }) => value !== null);
}

export function timeouts(records: readonly OutputRecord[]): OutputRecord[] {
  return summaries(records).filter(({ summary }) => summary!['reason'] === 'TIMEOUT');
}
