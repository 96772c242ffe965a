// Sends dead letters back to their input, each with its mark in one transaction.
//
// Owns: batches not yet sent.
// Does not own: which letters (the caller filters), the writer, the log.
//
// Invariants
//   RY1  A letter is back in the input if and only if its mark is in the dead-letter topic: whatever breaks off a replay,
//        running it again replays what is left.
//   RY2  A batch has at most BATCH_LETTERS_MAX letters, or BATCH_BYTES_MAX bytes and one letter more; all are of one topic.
import type { Clock } from '@flatline/base';
import type { TopicDescription } from '@flatline/kafka';
import type { TransactionalWriter } from '@flatline/ports';
import { type Letter, replayedRecord, replayMark } from './letter.ts';

export interface ReplayParts {
  readonly clock: Clock;
  readonly writer: TransactionalWriter;
  /** By topic: each letter goes back to its own. */
  readonly inputs: ReadonlyMap<string, TopicDescription>;
  readonly letterTopic: string;
}

export interface Selected {
  readonly letter: Letter;
  /** Which replay of it this is, from 1. */
  readonly replay: number;
}

export interface Replayed extends Selected {
  /** Where it is now in the input's partition of the same number. */
  readonly inputOffset: number;
}

const BATCH_LETTERS_MAX = 500;
const BATCH_BYTES_MAX = 4_000_000;

/** Gives each letter once it is committed. All of `selected` are of one partition. @throws Fenced, Retriable, Fatal */
export async function* replay(
  { clock, writer, inputs, letterTopic }: ReplayParts,
  selected: AsyncIterable<Selected> | Iterable<Selected>,
): AsyncGenerator<Replayed, void> {
  for await (const batch of batches(selected)) {
    const { partition, origin } = batch[0]!.letter;
    const isCreateTime = inputs.get(origin.topic)?.timestampType === 'CreateTime';
    const records = batch.map(({ letter, replay }) =>
      replayedRecord(letter, letterTopic, replay, isCreateTime ? timestampFor(letter, clock) : undefined),
    );
    const marks = batch.map(({ letter, replay }) => replayMark(letter, replay));
    const [offsets] = await writer.commit({
      writes: [
        { topic: origin.topic, partition, records },
        { topic: letterTopic, partition, records: marks },
      ],
      offsets: [],
    });
    yield* batch.map((each, i) => ({ ...each, inputOffset: offsets![i]! }));
  }
}

/** As it was, except for a stamp for which it was refused: it would be refused again. */
function timestampFor({ origin }: Letter, clock: Clock): number {
  return origin.reason === 'bad-timestamp' ? clock.wallMs() : origin.timestamp;
}

async function* batches(
  selected: AsyncIterable<Selected> | Iterable<Selected>,
): AsyncGenerator<readonly Selected[], void> {
  let batch: Selected[] = [];
  let bytes = 0;
  for await (const each of selected) {
    if (batch.length > 0 && batch[0]!.letter.origin.topic !== each.letter.origin.topic) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(each);
    bytes += (each.letter.key?.length ?? 0) + (each.letter.value?.length ?? 0);
    if (batch.length < BATCH_LETTERS_MAX && bytes < BATCH_BYTES_MAX) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
