// A dead letter as a record of its topic: unchanged, as far as it fits, but for headers that follow those it came with (I1).
import type { DeadLetter } from '@flatline/partition';
import { deadLetterHeaders, type OutgoingRecord } from '@flatline/ports';

export function deadLetterRecord(letter: DeadLetter, partition: number, topic: string): OutgoingRecord {
  const { key, value, headers, ...origin } = letter;
  return { key, value, headers: [...headers, ...deadLetterHeaders({ ...origin, topic, partition })] };
}
