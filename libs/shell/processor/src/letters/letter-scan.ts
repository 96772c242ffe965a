// Letters of one partition of a dead-letter topic, from an offset to its present end, with how often each was replayed.
import type { LogBounds } from '@flatline/kafka';
import type { RecordCursor, TopicPartition } from '@flatline/ports';
import { type Letter, type LetterCursor, letterRecord } from './letter.ts';

/** A letter as it is kept, and how often it was replayed. */
export type Scanned<T> = T & { readonly replays: number };

/** As KafkaLogScan. */
export interface LetterSource {
  bounds(place: TopicPartition): Promise<LogBounds>;
  /** Some records from `offset` on, all of them committed. */
  read(
    place: TopicPartition,
    offset: number,
  ): Promise<{ readonly cursor: LetterCursor & Pick<RecordCursor, 'next'>; readonly nextOffset: number }>;
}

export interface LetterScan<T> {
  /** By where the partition begins and where it ends. */
  readonly from: (start: number, end: number) => number;
  /** All that is kept of a letter. undefined: nothing. */
  readonly keep: (letter: Letter) => T | undefined;
  /** Letters that are kept: the last ones. */
  readonly most: number;
}

/** In the order of the partition; whole letters are held one at a time, within one answer of the broker (X6). @throws PartitionStopped, Retriable, Fatal */
export async function scanLetters<T extends object>(
  scan: LetterSource,
  place: TopicPartition,
  { from, keep, most }: LetterScan<T>,
): Promise<readonly Scanned<T>[]> {
  const { logStartOffset, lastStableOffset: end } = await scan.bounds(place);
  const begin = Math.max(logStartOffset, from(logStartOffset, end));
  const kept = new Map<number, { readonly letter: T; replays: number }>();
  for (let position = begin; position < end;) {
    const { cursor, nextOffset } = await scan.read(place, position);
    while (cursor.next()) {
      if (cursor.offset < begin || cursor.offset >= end) continue;
      const record = letterRecord(cursor, place.partition);
      if (record.kind === 'mark') {
        // Marks lie behind their letter: what is not kept by now never will be.
        const marked = kept.get(record.offset);
        if (marked !== undefined) marked.replays += 1;
      } else if (record.kind === 'letter') {
        const letter = keep(record);
        if (letter !== undefined) kept.set(record.offset, { letter, replays: 0 });
        if (kept.size > most) kept.delete(kept.keys().next().value!);
      }
    }
    position = nextOffset;
  }
  return [...kept.values()].map(({ letter, replays }) => ({ ...letter, replays }));
}
