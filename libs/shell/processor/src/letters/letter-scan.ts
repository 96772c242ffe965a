// Letters of one partition of a dead-letter topic, from an offset to its present end, with how often each was replayed.
import type { KafkaLogScan } from '@flatline/kafka';
import type { TopicPartition } from '@flatline/ports';
import { type Letter, letterRecord } from './letter.ts';

export interface ScannedLetter {
  readonly letter: Letter;
  /** Marks lie behind their letter in its partition: all of them have been read. */
  readonly replays: number;
}

export type LetterSource = Pick<KafkaLogScan, 'bounds' | 'read'>;

/** `from`: by where it begins and where it ends. `wanted`: of which letters is kept anything. @throws PartitionStopped, Retriable, Fatal */
export async function scanLetters(
  scan: LetterSource,
  place: TopicPartition,
  from: (start: number, end: number) => number,
  wanted: (offset: number) => boolean = () => true,
): Promise<readonly ScannedLetter[]> {
  const { logStartOffset, lastStableOffset: end } = await scan.bounds(place);
  const begin = Math.max(logStartOffset, from(logStartOffset, end));
  const letters = new Map<number, Letter>();
  const replays = new Map<number, number>();
  for (let position = begin; position < end;) {
    const { cursor, nextOffset } = await scan.read(place, position);
    while (cursor.next()) {
      if (cursor.offset < begin || cursor.offset >= end) continue;
      const record = letterRecord(cursor, place.partition);
      if (record.kind === 'mark') replays.set(record.offset, (replays.get(record.offset) ?? 0) + 1);
      else if (record.kind === 'letter' && wanted(record.offset)) letters.set(record.offset, record);
    }
    position = nextOffset;
  }
  return [...letters].map(([offset, letter]) => ({ letter, replays: replays.get(offset) ?? 0 }));
}
