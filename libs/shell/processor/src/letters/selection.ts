// Which letters of one partition go back to their input, and why others do not.
import type { TopicDescription } from '@flatline/kafka';
import type { TopicPartition } from '@flatline/ports';
import { isWhole, type Letter, type LetterPlace, letterRecord } from './letter.ts';
import { type LetterSource, type Scanned, scanLetters } from './letter-scan.ts';
import type { Selected } from './replay.ts';

export interface LeftLetter extends LetterPlace {
  readonly why: string;
}

interface Found {
  readonly offset: number;
  /** Why its record cannot go back. undefined: it can. */
  readonly why: string | undefined;
}

/** Marks behind an older letter take too long to find. */
const REPLAYED_OFFSETS_MAX = 50_000;
/** Longest name that a topic can have, in characters. */
const TOPIC_SHOWN = 249;

/** The message names what was asked for: no other try succeeds. */
export class NoSuchPartition extends Error {
  override readonly name = 'NoSuchPartition';
}

/** Offsets by partition. @throws NoSuchPartition */
export function byPartition(
  places: readonly LetterPlace[],
  { topic, partitions }: Pick<TopicDescription, 'topic' | 'partitions'>,
): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, number[]>();
  for (const { partition, offset } of places) {
    if (partition >= partitions)
      throw new NoSuchPartition(`${topic} has no partition ${partition}: they are 0 to ${partitions - 1}`);
    const offsets = found.get(partition) ?? [];
    offsets.push(offset);
    found.set(partition, offsets);
  }
  return found;
}

/** `inputs`: by topic. `selected`: their offsets, ascending. @throws PartitionStopped, Retriable, Fatal */
export async function selectLetters(
  scan: LetterSource,
  place: TopicPartition,
  asked: readonly number[],
  inputs: ReadonlyMap<string, unknown>,
): Promise<{ readonly selected: readonly number[]; readonly left: readonly LeftLetter[] }> {
  const offsets = new Set(asked);
  const first = Math.min(...offsets);
  const range = { isTooOld: false };
  const from = (_start: number, end: number): number => {
    range.isTooOld = end - first > REPLAYED_OFFSETS_MAX;
    return range.isTooOld ? end : first;
  };
  const keep = (letter: Letter): Found | undefined =>
    offsets.has(letter.offset) ? { offset: letter.offset, why: whyNeverBack(letter, inputs) } : undefined;
  const found = await scanLetters(scan, place, { from, keep, most: offsets.size });
  const byOffset = new Map(found.map((each) => [each.offset, each]));
  const left: LeftLetter[] = [];
  const selected: number[] = [];
  for (const offset of [...offsets].sort((a, b) => a - b)) {
    const why = range.isTooOld ? 'it is too old for this: flatline dead-letters replay' : whyNot(byOffset.get(offset));
    if (why === undefined) selected.push(offset);
    else left.push({ partition: place.partition, offset, why });
  }
  return { selected, left };
}

/** Letters at these offsets, ascending, read as they are taken: whole, of one answer of the broker at a time (X6). @throws as `selectLetters` */
export async function* lettersAt(
  scan: LetterSource,
  place: TopicPartition,
  offsets: readonly number[],
): AsyncGenerator<Selected, void> {
  for (let i = 0; i < offsets.length;) {
    const { cursor, nextOffset } = await scan.read(place, offsets[i]!);
    while (cursor.next()) {
      if (cursor.offset !== offsets[i]) continue;
      const letter = letterRecord(cursor, place.partition);
      if (letter.kind === 'letter') yield { letter, replay: 1 };
      i += 1;
    }
    while (i < offsets.length && offsets[i]! < nextOffset) i += 1;
  }
}

/** undefined: it can. */
function whyNot(found: Scanned<Found> | undefined): string | undefined {
  if (found === undefined) return 'there is no letter';
  return found.replays > 0 ? 'it was replayed before' : found.why;
}

function whyNeverBack(letter: Letter, inputs: ReadonlyMap<string, unknown>): string | undefined {
  if (!isWhole(letter)) return 'it does not hold its whole record: have its producer send it again';
  const { topic } = letter.origin;
  if (inputs.has(topic)) return undefined;
  // Whoever may write dead letters may not thereby write to any topic that the processor may.
  return `it came from ${topic.slice(0, TOPIC_SHOWN)}, the input is ${[...inputs.keys()].join(', ')}`;
}
