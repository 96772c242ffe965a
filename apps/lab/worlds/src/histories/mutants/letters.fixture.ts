// Dead letters that are not what the input calls for (I1).
import { assert, type Mutable } from '@flatline/base';
import { mutant, type HistoryMutant } from '@flatline/lab-kinds/histories';
import type { LetterRecord, LetterSubject } from '@flatline/oracle';

export const LETTERS: readonly HistoryMutant[] = [
  mutant('I1', 'a bad record is no dead letter', ({ deadLetters }) => {
    deadLetters.records = deadLetters.records.slice(1);
  }),
  mutant('I1', 'a bad record is a dead letter twice', ({ deadLetters }) => {
    deadLetters.records.splice(1, 0, { ...deadLetters.records[0]! });
  }),
  mutant('I1', 'a dead letter holds another value than its record', ({ deadLetters }) => {
    const letter = deadLetters.records.find(
      ({ value, subject }) => value !== null && value.length > 1 && subject?.valueBytes === undefined,
    );
    assert(letter !== undefined, 'a letter has a value of two bytes: producers are to send such a one that is refused');
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

function truncated(letters: readonly LetterRecord[]): LetterRecord {
  return letters.find(({ subject }) => subject?.valueBytes !== undefined)!;
}
