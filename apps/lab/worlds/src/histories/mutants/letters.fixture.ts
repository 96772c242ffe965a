// Dead letters that are not what the input calls for (I1).
import type { Mutable } from '@flatline/base';
import type { InputRecord, LetterRecord, LetterSubject } from '@flatline/oracle';
import { mutant, type Mutant } from './mutant.fixture.ts';

export const LETTERS: readonly Mutant[] = [
  mutant('I1', 'a bad record is no dead letter', ({ deadLetters }) => {
    deadLetters.records = deadLetters.records.slice(1);
  }),
  mutant('I1', 'a bad record is a dead letter twice', ({ deadLetters }) => {
    deadLetters.records.splice(1, 0, { ...deadLetters.records[0]! });
  }),
  mutant('I1', 'a dead letter holds another value than its record', ({ deadLetters }) => {
    const letter = deadLetters.records.find(
      ({ value, subject }) => value !== null && subject?.valueBytes === undefined,
    )!;
    (letter as Mutable<LetterRecord>).value = letter.value!.map((byte, at) => (at === 1 ? byte + 1 : byte));
  }),
  mutant('I1', 'a dead letter holds no key though its record has one', ({ deadLetters }) => {
    (deadLetters.records.find(({ key }) => key !== null) as Mutable<LetterRecord>).key = null;
  }),
  mutant('I1', 'a truncated dead letter does not say so', ({ deadLetters }) => {
    delete (truncated(deadLetters.records).subject as Mutable<LetterSubject>).valueBytes;
  }),
  mutant('I1', 'a truncated dead letter says a wrong length', ({ deadLetters }) => {
    (truncated(deadLetters.records).subject as Mutable<LetterSubject>).valueBytes! += 1;
  }),
  mutant('I1', 'a truncated dead letter is not the beginning of its record', ({ deadLetters, input }) => {
    const letter = truncated(deadLetters.records) as Mutable<LetterRecord>;
    const { value } = input.records.find(({ offset }) => offset === letter.subject!.offset)!;
    letter.value = value!.slice(1, letter.value!.length + 1);
  }),
  mutant('I1', 'a dead letter of a batch names fewer records than it has', ({ deadLetters }) => {
    const { subject } = deadLetters.records.find((letter) => letter.subject?.lastOffset !== undefined)!;
    (subject as Mutable<LetterSubject>).lastOffset! += 1;
  }),
  mutant('I1', 'a batch that cannot be unpacked is no dead letter', ({ deadLetters }) => {
    deadLetters.records = deadLetters.records.filter(({ subject }) => subject?.lastOffset === undefined);
  }),
];

/** That it had no room is said of a record that needs none, where anything that needs some would be believed (I7). */
export function refusedAsFull(what: string, needsNone: (record: InputRecord) => boolean): Mutant {
  return mutant('I1', `${what} is refused for want of room`, ({ deadLetters: { records }, input }) => {
    const isLetter = (offset: number): boolean => records.some(({ subject }) => subject?.offset === offset);
    const { offset, key, value } = input.records.find(
      (record) => record.key !== null && !isLetter(record.offset) && needsNone(record),
    )!;
    const at = records.findIndex(({ subject }) => subject !== undefined && subject.offset > offset);
    records.splice(at, 0, { offset: records[at]!.offset, key, value, subject: { offset, reason: 'state-full' } });
    return { rules: { stateBytesMax: 1 } };
  });
}

function truncated(letters: readonly LetterRecord[]): LetterRecord {
  return letters.find(({ subject }) => subject?.valueBytes !== undefined)!;
}
